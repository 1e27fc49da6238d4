package org.restheart.mongo.find;

/// How a query skips the documents before its page.
public enum Positioning {
    /// MongoDB skips them each time.
    NONE,

    /// A bookmark gives the index key at which the page begins, as of the time when it was set.
    BOOKMARKS,

    /// A bookmark that is updated by the changes of the collection: the same documents as with [#NONE].
    EXACT,

    /// As [#EXACT] if that is possible now, else as [#BOOKMARKS].
    EAGER
}
