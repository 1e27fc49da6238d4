package org.restheart.mongo.hal;

import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.Utf8Buffer;

/// Writes an object's members incrementally, since not all of them are known when the first is written. Confined to
/// one result.
final class Members {
    private final JsonEncoder encoder;
    private boolean first = true;

    Members(JsonEncoder encoder) {
        this.encoder = encoder;
    }

    void name(String name, Utf8Buffer out) {
        if (!first) {
            out.ascii(", ");
        }
        first = false;
        encoder.encode(new BsonString(name), out);
        out.ascii(": ");
    }

    void member(String name, BsonValue value, Utf8Buffer out) {
        name(name, out);
        value(value, out);
    }

    void member(String name, long value, Utf8Buffer out) {
        member(name, new BsonInt64(value), out);
    }

    void members(BsonDocument document, Utf8Buffer out) {
        document.forEach((name, value) -> member(name, value, out));
    }

    void value(BsonValue value, Utf8Buffer out) {
        encoder.encode(value, out);
    }
}
