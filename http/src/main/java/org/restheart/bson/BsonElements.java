package org.restheart.bson;

import java.nio.charset.StandardCharsets;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;

/// Writes single elements, a type, a name and a value.
final class BsonElements {
    private static final BsonDocumentCodec CODEC = new BsonDocumentCodec();

    private BsonElements() {}

    /// @throws IllegalArgumentException if the name contains U+0000
    static void write(String name, BsonValue value, BsonBuffer out) {
        if (name.indexOf(0) >= 0) {
            throw new IllegalArgumentException("a field name contains the character U+0000");
        }
        byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
        int typeAt = out.length;
        out.add((byte) 0);
        out.add(utf8, 0, utf8.length);
        out.add((byte) 0);
        byte type = value(value, out); // first, since the bytes may move as they grow
        out.bytes[typeAt] = type;
    }

    /// Writes the most frequent types directly and all others with the driver.
    ///
    /// @return the type
    private static byte value(BsonValue value, BsonBuffer out) {
        return switch (value.getBsonType()) {
            case OBJECT_ID -> {
                out.add(value.asObjectId().getValue().toByteArray(), 0, 12);
                yield BsonTypes.OBJECT_ID;
            }
            case STRING -> {
                byte[] utf8 = value.asString().getValue().getBytes(StandardCharsets.UTF_8);
                out.int32(utf8.length + 1);
                out.add(utf8, 0, utf8.length);
                out.add((byte) 0);
                yield BsonTypes.STRING;
            }
            case INT32 -> {
                out.int32(value.asInt32().getValue());
                yield BsonTypes.INT32;
            }
            case INT64 -> {
                out.int64(value.asInt64().getValue());
                yield BsonTypes.INT64;
            }
            case DATE_TIME -> {
                out.int64(value.asDateTime().getValue());
                yield BsonTypes.DATE;
            }
            default -> {
                var around = new RawBsonDocument(new BsonDocument("", value), CODEC);
                byte[] bytes = around.getBackingArray();
                int start = around.getByteOffset();
                out.add(bytes, start + BsonSink.ROOT, start + around.getByteLength() - 1);
                yield bytes[start + 4];
            }
        };
    }
}
