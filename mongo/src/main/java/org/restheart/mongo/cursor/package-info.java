/// Deep pages without skipping every document before them. A page is found by one of three mechanisms:
///
/// - **Bookmarks** are index keys at known positions of a query's result. A page is a short range scan from the
///   nearest one. A change stream keeps them exact.
/// - **Positioned cursors** are cursors of MongoDB that were positioned before a request asked for the page, for
///   queries whose order no index has.
/// - **Continuations** begin after the last document of the previous page, at a key instead of a position.
///
/// A request for page 5,000 goes through these classes, in this order:
///
/// 1. [DeepPageFinder] decides which mechanism may serve the query: no hint, a filter that depends only on the
///    documents, a page behind the first bookmark.
/// 2. [DeepPageFinder.BookmarkedPages] looks up the [QueryBookmarks] of queries with the same filter and order,
///    and takes the last bookmark before the page, from [Bookmarks].
/// 3. It reads the page with the range of the [SortIndex] that begins at the bookmark, skipping the few documents
///    between. The page is returned only when [Bookmarks] knows all changes up to the time of MongoDB's
///    reply; if these moved the bookmark, the page is read once more.
/// 4. Without bookmarks, [CursorPool] leases the nearest idle one before the page from [ParkedCursors], a
///    [PositionedCursor], and reads from it. Closing the page parks the cursor at its end.
/// 5. Otherwise MongoDB skips. A request never waits for anything to be prepared.
///
/// In the background, triggered by the second request of a query, a few at a time: [BookmarkBuilder] finds the index
/// and sets bookmarks by an [BookmarkBuilder.IndexScan] of a snapshot, and [BookmarkBuilder.ExactFollower] then
/// applies the changes since, which [Bookmarks.BsonOrder] compares with the bookmarks. [CursorPool] positions cursors
/// at the positions that [CursorPoolConfig.Allocation] computes.
///
/// [Continuations] is a separate entry point: a link with the key of the last document, found by the same
/// [SortIndex]. [PagingMeters] counts all three. Must not know: HTTP, representations.
@NullMarked
package org.restheart.mongo.cursor;

import org.jspecify.annotations.NullMarked;
