package org.restheart.mongo.content;

import org.bson.BsonDocument;

/// Mutable copies: content is shared and may be raw bytes.
final class Copies {
    private Copies() {}

    /// Only the document itself is copied.
    static BsonDocument shallow(BsonDocument document) {
        var copy = new BsonDocument(document.size() + 2);
        copy.putAll(document);
        return copy;
    }
}
