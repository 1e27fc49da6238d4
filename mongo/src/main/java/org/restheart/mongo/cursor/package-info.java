/// Deep pages without skipping, in three ways. [PositionedFinder] is the entry point of two of them:
///
/// - Bookmarks ([BookmarkedPages]) are index keys at known positions of a query's result, so that a page is a short
/// range scan from the nearest one. [BookmarkBuilder] sets them; [ExactFollower] keeps exact ones up to date.
/// - Where bookmarks are not usable, cursors of MongoDB are positioned ahead ([CursorPool]). A request never waits for
/// one: it leases a parked cursor ([ParkedCursors]) or lets MongoDB skip. The [Allocator] positions further ones in the
/// background, at the positions of [Slices].
///
/// [Continuations] are the third: a page that begins after the last document of the previous one.
///
/// Must not know: HTTP, representations.
@NullMarked
package org.restheart.mongo.cursor;

import org.jspecify.annotations.NullMarked;
