package org.restheart.mongo.format;

import org.bson.BsonDocument;
import org.restheart.bson.RawDocuments;
import org.restheart.bson.Utf8Buffer;

/// The documents' BSON, one document after the other, as `mongodump` and drivers read it (bsonspec.org).
public record BsonBytes() implements DocumentFormat {
    public static final String MEDIA_TYPE = "application/bson";

    @Override
    public String mediaType() {
        return MEDIA_TYPE;
    }

    @Override
    public void document(BsonDocument document, long index, Utf8Buffer out) {
        var raw = RawDocuments.encode(document);
        var bytes = raw.getByteBuffer().asNIO();
        out.utf8(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.arrayOffset() + bytes.limit());
    }
}
