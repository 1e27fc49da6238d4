package org.restheart.mongo.write;

/// What a write does when its document exists or does not: the `wm` parameter.
public enum WriteMode {
    INSERT,
    UPDATE,
    UPSERT
}
