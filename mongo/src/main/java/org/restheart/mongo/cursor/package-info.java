/// Deep pages at the price of the first: bookmarks remember which index key stands at which position of a query's
/// result, so that a page is one short range read from the nearest one. [PositionedFinder] is the entry; no cursor is
/// held open in MongoDB, except in the package `pool`, for queries that bookmarks cannot serve. [CachedFinder] stands
/// before it for requests that accept results of the last seconds.
///
/// Must not know: HTTP, representations.
@NullMarked
package org.restheart.mongo.cursor;

import org.jspecify.annotations.NullMarked;
