package org.restheart.mongo.find;

/// Optimizations that a query allows. Immutable, compares by value: results obtained with different shortcuts are
/// never shared.
///
/// @param cursorsAhead whether the page may come from a cursor that was positioned before, if bookmarks cannot serve
///     the query
/// @param cached whether documents of an earlier query may be returned
public record Shortcuts(Bookmarking bookmarking, CursorsAhead cursorsAhead, boolean cached) {
    public static final Shortcuts NONE = new Shortcuts(Bookmarking.NONE, false);

    /// Without positioned cursors.
    public Shortcuts(Bookmarking bookmarking, boolean cached) {
        this(bookmarking, CursorsAhead.NONE, cached);
    }

    /// How a client pages through a result: where cursors are positioned ahead of its next requests.
    public enum CursorsAhead {
        /// Nothing is positioned ahead.
        NONE,

        /// Page after page.
        LINEAR,

        /// Anywhere, as with a scroll bar.
        RANDOM
    }

    /// How a query skips the documents before its page.
    public enum Bookmarking {
        /// MongoDB skips them each time.
        NONE,

        /// A bookmark gives the index key at which the page begins, as of the time when it was set.
        BOOKMARKS,

        /// A bookmark that is updated by the changes of the collection: the same documents as with [#NONE].
        EXACT,

        /// As [#EXACT] if that is possible now, else as [#BOOKMARKS].
        EAGER
    }
}
