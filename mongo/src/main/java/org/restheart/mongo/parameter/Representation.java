package org.restheart.mongo.parameter;

import java.util.Locale;
import java.util.Optional;

/// How resources are represented: the `rep` parameter.
public enum Representation {
    STANDARD,
    HAL,
    SHAL;

    /// Empty for an unknown name, which is only worth a warning.
    static Optional<Representation> of(String name) {
        return switch (name.toUpperCase(Locale.ROOT)) {
            case "STANDARD", "S" -> Optional.of(STANDARD);
            case "HAL" -> Optional.of(HAL);
            case "SHAL", "PLAIN_JSON", "PJ" -> Optional.of(SHAL);
            default -> Optional.empty();
        };
    }
}
