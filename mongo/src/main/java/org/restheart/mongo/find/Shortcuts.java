package org.restheart.mongo.find;

/// Optimizations that a query allows. Immutable, compares by value: results obtained with different shortcuts are
/// never shared.
///
/// @param ahead whether the page may come from a cursor that was positioned before, if bookmarks cannot serve the query
/// @param cached whether documents of an earlier query may be returned
public record Shortcuts(Positioning positioning, Ahead ahead, boolean cached) {
    public static final Shortcuts NONE = new Shortcuts(Positioning.NONE, false);

    /// Without positioned cursors.
    public Shortcuts(Positioning positioning, boolean cached) {
        this(positioning, Ahead.NONE, cached);
    }
}
