package org.restheart.rest.schema;

import com.networknt.schema.Error;
import java.util.List;
import java.util.stream.Collectors;
import org.restheart.text.ShortText;

/// One violation of a schema.
///
/// @param path of the value: `#/items/0/price`
/// @param rule the keyword that it violates
/// @param message in English
public record Violation(String path, String rule, String message) {
    private static final int MAX_SHOWN = 10;
    private static final int MAX_LENGTH = 300;

    static Violation of(Error error) {
        return new Violation(
                ShortText.of("#" + error.getInstanceLocation(), MAX_LENGTH),
                error.getKeyword(),
                ShortText.of(error.getMessage(), MAX_LENGTH));
    }

    /// All violations of a document in one message for clients: location, message and keyword of each.
    static String text(List<Error> errors) {
        var shown = errors.stream().limit(MAX_SHOWN).map(Violation::text).collect(Collectors.joining(", "));
        if (errors.size() == 1) {
            return shown;
        }
        return errors.size() + " schema violations found, " + shown + (errors.size() > MAX_SHOWN ? ", …" : "");
    }

    /// `#/items/0/price: string found, number expected (type)`.
    private static String text(Error error) {
        return ShortText.of("#" + error.getInstanceLocation() + ": " + error.getMessage(), MAX_LENGTH) + " ("
                + error.getKeyword() + ")";
    }
}
