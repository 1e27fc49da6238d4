package org.restheart.mongo.parameter;

import java.util.Locale;
import java.util.Optional;

/// What a write does when its document exists or does not: the `wm` parameter.
public enum WriteMode {
    INSERT,
    UPDATE,
    UPSERT;

    /// Empty for an unknown name, which means the method's default.
    static Optional<WriteMode> of(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "insert" -> Optional.of(INSERT);
            case "update" -> Optional.of(UPDATE);
            case "upsert" -> Optional.of(UPSERT);
            default -> Optional.empty();
        };
    }
}
