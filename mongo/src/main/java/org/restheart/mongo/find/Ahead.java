package org.restheart.mongo.find;

/// How a client pages through a result: where cursors are positioned ahead of its next requests.
public enum Ahead {
    /// Nothing is positioned ahead.
    NONE,

    /// Page after page.
    LINEAR,

    /// Anywhere, as with a scroll bar.
    RANDOM
}
