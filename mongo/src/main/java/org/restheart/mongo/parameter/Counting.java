package org.restheart.mongo.parameter;

/// Whether and how the documents of a collection are counted: the `count` parameter.
public enum Counting {
    NONE,
    EXACT,
    ESTIMATED
}
