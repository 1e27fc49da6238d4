package org.restheart.mongo.format;

import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
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
        var raw = document instanceof RawBsonDocument bytes
                ? bytes
                : new RawBsonDocument(document, new BsonDocumentCodec());
        var bytes = raw.getByteBuffer().asNIO();
        out.utf8(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.arrayOffset() + bytes.limit());
    }
}
