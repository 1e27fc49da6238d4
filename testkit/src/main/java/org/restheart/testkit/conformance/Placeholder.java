package org.restheart.testkit.conformance;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/// A placeholder in an expected body or header for a value that is not known in advance: a string in angle brackets.
sealed interface Placeholder {
    /// The first element of an array whose order does not matter.
    String UNORDERED = "<unordered>";

    /// The last element of an array that may have more elements, or a key (with any value) of an object that may have
    /// more members.
    String MORE = "<more>";

    enum Kind implements Placeholder {
        ANY,
        ABSENT,
        OID,
        STRING,
        NUMBER
    }

    record Regex(Pattern pattern) implements Placeholder {}

    /// @throws IllegalArgumentException for an unknown placeholder, so that a typing error is not a literal
    static Optional<Placeholder> of(String text) {
        if (!text.matches("<(?s:.+)>")) {
            return Optional.empty();
        }
        var content = text.substring(1, text.length() - 1);
        if (content.startsWith("~")) {
            return Optional.of(new Regex(Pattern.compile(content.substring(1), Pattern.DOTALL)));
        }
        return Optional.of(Kind.valueOf(content.toUpperCase(Locale.ROOT)));
    }

    /// @param actual not absent: absence is decided by the object that lacks it
    default boolean matches(JsonNode actual) {
        return switch (this) {
            case Kind.ANY -> true;
            case Kind.ABSENT -> false;
            case Kind.OID -> actual.isString() && actual.stringValue().matches("[0-9a-f]{24}");
            case Kind.STRING -> actual.isString();
            case Kind.NUMBER -> actual.isNumber();
            case Regex(var pattern) ->
                actual.isString() && pattern.matcher(actual.stringValue()).find();
        };
    }
}
