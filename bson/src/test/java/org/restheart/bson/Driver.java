package org.restheart.bson;

import java.nio.ByteBuffer;
import java.time.DateTimeException;
import java.util.List;
import java.util.Optional;
import org.bson.BSONException;
import org.bson.BsonBinaryWriter;
import org.bson.BsonDocument;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.codecs.BsonValueCodec;
import org.bson.codecs.DecoderContext;
import org.bson.codecs.EncoderContext;
import org.bson.io.BasicOutputBuffer;
import org.bson.json.JsonParseException;
import org.bson.json.JsonReader;
import org.bson.json.JsonWriterSettings;

/// The MongoDB driver's own reading and writing of JSON, which is the oracle.
final class Driver {
    private Driver() {}

    static String json(BsonDocument document, JsonMode mode) {
        return document.toJson(settings(mode));
    }

    @SuppressWarnings("deprecation") // strict mode is deprecated there and stays here
    /// Those that the driver writes too.
    static final List<JsonMode> MODES =
            List.of(JsonMode.DEFAULT, JsonMode.RELAXED, JsonMode.STRICT, JsonMode.EXTENDED, JsonMode.SHELL);

    private static JsonWriterSettings settings(JsonMode mode) {
        var settings = JsonWriterSettings.builder();
        return switch (mode) {
            case DEFAULT ->
                settings.outputMode(org.bson.json.JsonMode.RELAXED)
                        .dateTimeConverter((millis, writer) -> writer.writeRaw("{\"$date\": " + millis + " }"))
                        .build();
            case RELAXED -> settings.outputMode(org.bson.json.JsonMode.RELAXED).build();
            case STRICT -> settings.outputMode(org.bson.json.JsonMode.STRICT).build();
            case EXTENDED ->
                settings.outputMode(org.bson.json.JsonMode.EXTENDED).build();
            case PLAIN, ATLAS, ATLAS_UNTAGGED, EXTENDED_UNTAGGED ->
                throw new IllegalArgumentException("not a mode of the driver");
            case SHELL -> settings.outputMode(org.bson.json.JsonMode.SHELL).build();
        };
    }

    static RawBsonDocument raw(BsonDocument document) {
        var output = new BasicOutputBuffer();
        try (var writer = new BsonBinaryWriter(output)) {
            new BsonDocumentCodec()
                    .encode(writer, document, EncoderContext.builder().build());
        }
        return new RawBsonDocument(output.toByteArray());
    }

    /// What the driver's parser makes of a text, as bytes of a document around the value; empty if it refuses.
    static Optional<ByteBuffer> parse(String json) {
        try (var reader = new JsonReader(json)) {
            var type = reader.readBsonType();
            if (type == BsonType.END_OF_DOCUMENT) {
                return Optional.empty();
            }
            var value =
                    new BsonValueCodec().decode(reader, DecoderContext.builder().build());
            return Optional.of(bytes(value));
        } catch (JsonParseException
                | BSONException
                | IllegalArgumentException
                | DateTimeException
                | NullPointerException
                | AssertionError _) {
            return Optional.empty();
        }
    }

    /// A value's bytes in a document around it.
    static ByteBuffer bytes(BsonValue value) {
        return raw(new BsonDocument("", value)).getByteBuffer().asNIO();
    }
}
