package org.restheart.bson;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.bson.BsonValue;

/// BSON → JSON text of one mode, in one line: a blank after each colon and comma, and nowhere else. Text is UTF-8;
/// control characters and the like are escaped, and so are characters beyond U+FFFF. Immutable, thread-safe.
public final class JsonEncoder {
    private static final Map<JsonMode, JsonEncoder> ENCODERS = encoders();

    private final Spelling spelling;

    private JsonEncoder(Spelling spelling) {
        this.spelling = spelling;
    }

    public static JsonEncoder of(JsonMode mode) {
        return Objects.requireNonNull(ENCODERS.get(mode));
    }

    /// Writes any value. A `RawBsonDocument`, also one inside a tree, goes straight from its bytes.
    ///
    /// @throws org.bson.BsonSerializationException if bytes are not BSON, or more than 256 levels deep; the buffer
    ///         then holds the part that was written before
    public void encode(BsonValue value, Utf8Buffer out) {
        new TreeJson(spelling, out).value(value, 0);
    }

    /// Writes the document that begins at an offset and has no more than `length` bytes.
    ///
    /// @throws org.bson.BsonSerializationException as [#encode] does
    public void encodeDocument(byte[] bson, int offset, int length, Utf8Buffer out) {
        new RawJson(bson, offset, spelling, out).document(offset + length, 0);
    }

    public String encodeToString(BsonValue value) {
        var out = new Utf8Buffer();
        encode(value, out);
        return out.toString();
    }

    private static Map<JsonMode, JsonEncoder> encoders() {
        var encoders = new EnumMap<JsonMode, JsonEncoder>(JsonMode.class);
        for (var mode : JsonMode.values()) {
            encoders.put(mode, new JsonEncoder(Spelling.of(mode)));
        }
        return encoders;
    }
}
