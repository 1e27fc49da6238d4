package org.restheart.mongo.schema;

import org.bson.BsonDocument;
import org.restheart.bson.Utf8Buffer;
import org.restheart.mongo.format.DocumentFormat;

/// Writes schemas unescaped, in another format.
public record SchemaFormat(DocumentFormat format) implements DocumentFormat {
    @Override
    public String mediaType() {
        return format.mediaType();
    }

    @Override
    public void begin(Utf8Buffer out) {
        format.begin(out);
    }

    @Override
    public void document(BsonDocument document, long index, Utf8Buffer out) {
        format.document(SchemaForm.shown(document), index, out);
    }

    @Override
    public void end(long count, Utf8Buffer out) {
        format.end(count, out);
    }
}
