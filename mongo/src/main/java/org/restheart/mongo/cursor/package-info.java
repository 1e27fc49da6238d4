/// Deep pages at the price of the first, in three ways. [PositionedFinder] is the entry to two of them:
///
/// - Bookmarks ([BookmarkedPages]) remember which index key stands at which position of a query's result, so that a
/// page
///   is one short range read from the nearest one. [BookmarkBuilder] sets them; [ExactFollower] keeps those exact that
///   have to be.
/// - Where bookmarks cannot serve, cursors of MongoDB are positioned ahead ([CursorPool]). A request never waits for
/// one:
///   it leases a parked cursor ([ParkedCursors]) or lets MongoDB skip. The [Allocator] positions further ones in the
///   background; [Slices] says where.
///
/// [Continuations] are the third: a page that begins behind the last document that the client has seen.
///
/// Must not know: HTTP, representations.
@NullMarked
package org.restheart.mongo.cursor;

import org.jspecify.annotations.NullMarked;
