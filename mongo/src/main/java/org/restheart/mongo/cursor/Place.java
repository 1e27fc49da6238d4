package org.restheart.mongo.cursor;

/// One of the live bookmarks, as things were when it was looked up.
///
/// @param index which of them
/// @param moves how many changes had moved it
record Place(int index, Bookmark bookmark, long moves) {}
