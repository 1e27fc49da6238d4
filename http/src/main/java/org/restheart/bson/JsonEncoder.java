package org.restheart.bson;

import java.io.StringWriter;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.codecs.BsonValueCodec;
import org.bson.codecs.EncoderContext;
import org.bson.json.JsonWriter;
import org.bson.json.JsonWriterSettings;

/// BSON → JSON text of one mode. Stateless, thread-safe.
public final class JsonEncoder {
    private final JsonWriterSettings settings;

    private JsonEncoder(JsonWriterSettings settings) {
        this.settings = settings;
    }

    @SuppressWarnings("deprecation") // STRICT is the wire format that clients ask for
    public static JsonEncoder of(JsonMode mode) {
        var builder = JsonWriterSettings.builder();
        return new JsonEncoder(
                switch (mode) {
                    case DEFAULT ->
                        builder.outputMode(org.bson.json.JsonMode.RELAXED)
                                .dateTimeConverter((millis, writer) -> writer.writeRaw("{\"$date\": " + millis + " }"))
                                .build();
                    case RELAXED ->
                        builder.outputMode(org.bson.json.JsonMode.RELAXED).build();
                    case STRICT ->
                        builder.outputMode(org.bson.json.JsonMode.STRICT).build();
                    case EXTENDED ->
                        builder.outputMode(org.bson.json.JsonMode.EXTENDED).build();
                    case SHELL ->
                        builder.outputMode(org.bson.json.JsonMode.SHELL).build();
                });
    }

    public void encode(BsonValue value, Utf8Buffer out) {
        out.text(encodeToString(value));
    }

    public String encodeToString(BsonValue value) {
        var text = new StringWriter();
        var writer = new JsonWriter(text, settings);
        writer.writeStartDocument();
        writer.writeName("v");
        new BsonValueCodec().encode(writer, value, EncoderContext.builder().build());
        writer.writeEndDocument();
        var wrapped = text.toString();
        return wrapped.substring("{\"v\": ".length(), wrapped.length() - 1);
    }

    /// A whole document.
    public String encodeToString(BsonDocument document) {
        return encodeToString((BsonValue) document);
    }
}
