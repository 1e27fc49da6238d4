package org.restheart.mongo.find;

/// How a query gets past the documents that come before its page.
public enum Positioning {
    /// MongoDB counts them, each time.
    NONE,

    /// A bookmark says where in the index the page begins, as things were when the bookmark was set.
    BOOKMARKS,

    /// A bookmark that the changes of the collection have moved along: the same documents as with [#NONE].
    EXACT,

    /// As [#EXACT] if that is possible now, else as [#BOOKMARKS].
    EAGER
}
