package org.restheart.mongo.content;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;

/// Text that is parsed if it is JSON, else kept as a string: values of forms and cells of CSV files.
public final class LooseValue {
    private LooseValue() {}

    public static BsonValue of(String text) {
        if (text.isEmpty()) {
            return new BsonString("");
        }
        try {
            return json(text).orElseGet(() -> new BsonString(text));
        } catch (MalformedJsonException _) {
            return new BsonString(text);
        }
    }

    /// The value, if the whole text is one JSON value. The parser ignores text after a value, so that `10
    /// Downing Street` would be the number 10; inside brackets it does not, and no text closes both an object
    /// and an array. Documents and arrays stay bytes.
    ///
    /// @throws MalformedJsonException if the text does not begin with a value
    static Optional<BsonValue> json(String text) {
        var member = JsonParser.parse(("{\"v\": " + text + "}").getBytes(StandardCharsets.UTF_8));
        var element = JsonParser.parse(("[" + text + "]").getBytes(StandardCharsets.UTF_8));
        return member.asDocument().size() == 1 && element.asArray().size() == 1
                ? Optional.of(element.asArray().getFirst())
                : Optional.empty();
    }
}
