package org.restheart.mongo.content;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/// Mutable copies: content is shared and may be raw bytes.
final class Copies {
    private Copies() {}

    /// Documents and arrays are copied deeply; other values are immutable by agreement.
    static BsonValue deep(BsonValue value) {
        if (value.isDocument()) {
            var copy = new BsonDocument();
            value.asDocument().forEach((name, member) -> copy.put(name, deep(member)));
            return copy;
        }
        if (value.isArray()) {
            var copy = new BsonArray(value.asArray().size());
            value.asArray().forEach(element -> copy.add(deep(element)));
            return copy;
        }
        return value;
    }

    /// Only the document itself is copied.
    static BsonDocument shallow(BsonDocument document) {
        var copy = new BsonDocument(document.size() + 2);
        copy.putAll(document);
        return copy;
    }
}
