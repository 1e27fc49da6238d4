/// Cursors of MongoDB that are positioned before anybody asks for their place, for queries that bookmarks cannot serve.
/// A request never waits for the pool: it finds a parked cursor or lets MongoDB skip. [CursorPool] is the entry: a
/// [Lease] takes a cursor out of [ParkedCursors] for one request and puts it back where that one has read to, the
/// [Allocator] positions further ones in the background ([Slices] says where), the [Housekeeper] closes them in time.
///
/// Must not know: HTTP, bookmarks.
@NullMarked
package org.restheart.mongo.cursor.pool;

import org.jspecify.annotations.NullMarked;
