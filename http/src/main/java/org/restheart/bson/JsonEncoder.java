package org.restheart.bson;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.bson.BsonValue;

/// BSON → JSON text of one mode, in one line: a blank after each colon and comma, and nowhere else. Text is UTF-8;
/// control characters and the like are escaped, and so are characters beyond U+FFFF. Immutable, thread-safe.
public final class JsonEncoder {
    private static final Map<JsonMode, JsonEncoder> ENCODERS = Arrays.stream(JsonMode.values())
            .collect(Collectors.toMap(
                    mode -> mode,
                    mode -> new JsonEncoder(JsonFormat.of(mode)),
                    (a, _) -> a,
                    () -> new EnumMap<>(JsonMode.class)));

    private final JsonFormat format;

    private JsonEncoder(JsonFormat format) {
        this.format = format;
    }

    public static JsonEncoder of(JsonMode mode) {
        return Objects.requireNonNull(ENCODERS.get(mode));
    }

    /// Writes any value. A `RawBsonDocument`, also one inside a tree, goes straight from its bytes.
    ///
    /// @throws org.bson.BsonSerializationException if bytes are not BSON, or more than 256 levels deep; the buffer
    ///         then holds the part that was written before
    public void encode(BsonValue value, Utf8Buffer out) {
        new TreeJson(format, out).value(value, 0);
    }

    public String encodeToString(BsonValue value) {
        var out = new Utf8Buffer();
        encode(value, out);
        return out.toString();
    }
}
