package org.restheart.mongo.find;

/// Which shortcuts an answer may take that MongoDB alone does not. Immutable, compares by value: answers that were
/// got in different ways are never shared.
public record Shortcuts(Positioning positioning) {
    public static final Shortcuts NONE = new Shortcuts(Positioning.NONE);
}
