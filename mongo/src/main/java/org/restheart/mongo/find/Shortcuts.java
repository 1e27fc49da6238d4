package org.restheart.mongo.find;

/// Which shortcuts an answer may take that MongoDB alone does not. Immutable, compares by value: answers that were
/// got in different ways are never shared.
///
/// @param cached whether documents may be shown that were read for an earlier query
public record Shortcuts(Positioning positioning, boolean cached) {
    public static final Shortcuts NONE = new Shortcuts(Positioning.NONE, false);
}
