package org.restheart.bson;

import java.nio.charset.StandardCharsets;
import org.bson.BsonInvalidOperationException;
import org.bson.BsonSerializationException;
import org.bson.BsonValue;
import org.bson.codecs.BsonValueCodec;
import org.bson.codecs.DecoderContext;
import org.bson.json.JsonParseException;
import org.bson.json.JsonReader;

/// JSON → BSON: Extended JSON (v1, v2) and the MongoDB shell's dialect. Stateless, thread-safe.
public final class JsonParser {
    private JsonParser() {}

    /// @throws MalformedJsonException for text that is none of these
    public static BsonValue parse(byte[] utf8) {
        return parse(new String(utf8, StandardCharsets.UTF_8));
    }

    /// @throws MalformedJsonException for text that is none of these
    public static BsonValue parse(String json) {
        try (var reader = new JsonReader(json)) {
            reader.readBsonType();
            return new BsonValueCodec().decode(reader, DecoderContext.builder().build());
        } catch (JsonParseException
                | BsonInvalidOperationException
                | BsonSerializationException
                | IllegalArgumentException e) {
            throw new MalformedJsonException(String.valueOf(e.getMessage()));
        }
    }
}
