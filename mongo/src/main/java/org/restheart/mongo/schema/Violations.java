package org.restheart.mongo.schema;

import com.networknt.schema.Error;
import java.util.List;
import java.util.stream.Collectors;

/// The violations of a document for clients: location, message, and keyword.
final class Violations {
    private static final int MAX_SHOWN = 10;
    private static final int MAX_LENGTH = 300;

    private Violations() {}

    static String text(List<Error> errors) {
        var shown = errors.stream().limit(MAX_SHOWN).map(Violations::text).collect(Collectors.joining(", "));
        if (errors.size() == 1) {
            return shown;
        }
        return errors.size() + " schema violations found, " + shown + (errors.size() > MAX_SHOWN ? ", …" : "");
    }

    /// `#/items/0/price: string found, number expected (type)`.
    private static String text(Error error) {
        return shortened("#" + error.getInstanceLocation() + ": " + error.getMessage()) + " (" + error.getKeyword()
                + ")";
    }

    static Violation of(Error error) {
        return new Violation(
                shortened("#" + error.getInstanceLocation()), error.getKeyword(), shortened(error.getMessage()));
    }

    private static String shortened(String text) {
        return text.length() > MAX_LENGTH ? text.substring(0, MAX_LENGTH) + "…" : text;
    }
}
