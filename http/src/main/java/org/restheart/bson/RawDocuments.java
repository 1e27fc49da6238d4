package org.restheart.bson;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;

/// What is done with documents that are still bytes.
public final class RawDocuments {
    private static final BsonDocumentCodec TREES = new BsonDocumentCodec();

    private RawDocuments() {}

    /// The document as a tree that can be changed.
    public static BsonDocument toTree(RawBsonDocument document) {
        return document.decode(TREES);
    }

    /// Any value, with documents and arrays at every depth as trees that can be changed.
    public static BsonValue toTree(BsonValue value) {
        return switch (value) {
            case RawBsonDocument document -> toTree(document);
            case BsonArray array -> {
                var tree = new BsonArray();
                array.forEach(element -> tree.add(toTree(element)));
                yield tree;
            }
            default -> value;
        };
    }
}
