package org.restheart.core.config;

import org.jspecify.annotations.Nullable;

/// One override. Immutable.
///
/// @param value a tree of plain values
/// @param source such as `RHO`, for messages
record Assignment(OverridePath path, @Nullable Object value, String source) {
    /// For the log: secrets are masked.
    @Override
    public String toString() {
        return path.text() + " -> " + Trees.inline(Secrets.mask(path.text(), value)) + " (" + source + ")";
    }
}
