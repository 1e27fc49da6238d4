package org.restheart.bson;

import java.util.Locale;
import java.util.Optional;

/// How BSON types that JSON lacks are spelled: the `jsonMode` parameter.
public enum JsonMode {
    DEFAULT,
    RELAXED,
    STRICT,
    EXTENDED,
    SHELL;

    /// Without regard to case; empty for an unknown name.
    public static Optional<JsonMode> of(String name) {
        try {
            return Optional.of(valueOf(name.toUpperCase(Locale.ROOT)));
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
    }
}
