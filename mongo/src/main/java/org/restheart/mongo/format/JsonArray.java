package org.restheart.mongo.format;

import org.bson.BsonDocument;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.Utf8Buffer;
import org.restheart.http.Response;

/// One JSON array of all documents.
public record JsonArray(JsonEncoder encoder, String mediaType) implements DocumentFormat {
    public static JsonArray of(JsonMode mode) {
        return new JsonArray(JsonEncoder.of(mode), Response.JSON);
    }

    @Override
    public void begin(Utf8Buffer out) {
        out.put((byte) '[');
    }

    @Override
    public void document(BsonDocument document, long index, Utf8Buffer out) {
        if (index > 0) {
            out.ascii(", ");
        }
        encoder.encode(document, out);
    }

    @Override
    public void end(long count, Utf8Buffer out) {
        out.put((byte) ']');
    }
}
