package org.restheart.mongo.schema;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/// JSON pointers in fragments of URIs (RFC 6901, 6).
public final class JsonPointer {
    private JsonPointer() {}

    /// What a pointer names in a schema; null if that is nothing.
    ///
    /// @param pointer empty, or begins with a slash
    public static @Nullable BsonValue find(BsonDocument schema, String pointer) {
        BsonValue found = schema;
        for (var token :
                pointer.isEmpty() ? new String[0] : pointer.substring(1).split("/", -1)) {
            var name = unescaped(token);
            found = switch (found) {
                case BsonDocument document -> document.get(name);
                case BsonArray array
                when name.matches("\\d{1,6}") && Integer.parseInt(name) < array.size() ->
                    array.get(Integer.parseInt(name));
                case null, default -> null;
            };
        }
        return found;
    }

    private static String unescaped(String token) {
        try {
            return URLDecoder.decode(token.replace("+", "%2B"), StandardCharsets.UTF_8)
                    .replace("~1", "/")
                    .replace("~0", "~");
        } catch (IllegalArgumentException _) { // a percent sign that encodes nothing
            return token;
        }
    }
}
