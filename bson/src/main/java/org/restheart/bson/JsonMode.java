package org.restheart.bson;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// How BSON types that JSON lacks are written: the values of the `jsonMode` query parameter.
public enum JsonMode {
    /// As [#RELAXED], but dates are always numbers of milliseconds.
    DEFAULT,
    /// Extended JSON v2, relaxed: numbers as JSON numbers and dates up to the year 9999 as ISO 8601.
    RELAXED,
    /// Extended JSON v1, strict.
    STRICT,
    /// Extended JSON v2, canonical: every type survives a round trip.
    EXTENDED,
    /// What the `mongo` shell reads. Not JSON.
    SHELL,
    /// What front ends expect: strings for dates (ISO 8601), ids, binary data (base64) and numbers that
    /// JavaScript would round; `null` for numbers that are not finite. Types are lost.
    PLAIN,
    /// JSON as the Atlas Data API wrote it: types without a JSON equivalent become strings and objects. Not a value of
    /// the parameter.
    ATLAS,
    /// As [#ATLAS], without the entity tag of documents. Not a value of the parameter.
    ATLAS_UNTAGGED,
    /// As [#EXTENDED], without the entity tag of documents. Not a value of the parameter.
    EXTENDED_UNTAGGED;

    /// The values of the parameter.
    public static List<JsonMode> ofParameter() {
        return List.of(DEFAULT, RELAXED, STRICT, EXTENDED, SHELL, PLAIN);
    }

    /// The mode of that name in any case; empty if there is none.
    public static Optional<JsonMode> of(String name) {
        var upper = name.toUpperCase(Locale.ROOT);
        return ofParameter().stream().filter(mode -> mode.name().equals(upper)).findFirst();
    }
}
