package org.restheart.mongo.format;

import org.bson.BsonDocument;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.Utf8Buffer;

/// One line of JSON per document (NDJSON, ndjson.org).
public record JsonLines(JsonEncoder encoder) implements DocumentFormat {
    public static final String MEDIA_TYPE = "application/x-ndjson";

    public static JsonLines of(JsonMode mode) {
        return new JsonLines(JsonEncoder.of(mode));
    }

    @Override
    public String mediaType() {
        return MEDIA_TYPE;
    }

    @Override
    public void document(BsonDocument document, long index, Utf8Buffer out) {
        encoder.encode(document, out);
        out.put((byte) '\n');
    }
}
