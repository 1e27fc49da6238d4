package org.restheart.mongo.find;

/// Which shortcuts an answer may take that MongoDB alone does not. Immutable, compares by value: answers that were
/// got in different ways are never shared.
///
/// @param ahead whether the page may come from a cursor that was positioned before, if bookmarks cannot serve the query
/// @param cached whether documents may be shown that were read for an earlier query
public record Shortcuts(Positioning positioning, Ahead ahead, boolean cached) {
    public static final Shortcuts NONE = new Shortcuts(Positioning.NONE, false);

    /// Without cursors that were positioned before.
    public Shortcuts(Positioning positioning, boolean cached) {
        this(positioning, Ahead.NONE, cached);
    }
}
