package org.restheart.mongo.find;

/// Optimizations that a query allows. Immutable, compares by value: results obtained with different shortcuts are
/// never shared.
///
/// @param bookmarks whether the page may begin at a bookmark, which is updated by the changes of the collection,
///     instead of behind documents that MongoDB skips
/// @param cursorsAhead whether the page may come from a cursor that was positioned before, if bookmarks cannot serve
///     the query
public record Shortcuts(boolean bookmarks, CursorsAhead cursorsAhead) {
    public static final Shortcuts NONE = new Shortcuts(false, CursorsAhead.NONE);

    /// How a client pages through a result: where cursors are positioned ahead of its next requests.
    public enum CursorsAhead {
        /// Nothing is positioned ahead.
        NONE,

        /// Page after page.
        LINEAR,

        /// Anywhere, as with a scroll bar.
        RANDOM
    }
}
