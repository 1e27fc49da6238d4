package org.restheart.mongo.format;

import org.bson.BsonDocument;
import org.restheart.bson.Utf8Buffer;

/// Writes the documents of one result, one after the other. Confined to one result.
public interface DocumentFormat {
    String mediaType();

    /// Writes the text before the first document.
    default void begin(Utf8Buffer out) {}

    /// @param index counts from 0
    void document(BsonDocument document, long index, Utf8Buffer out);

    /// Writes the text after the last document.
    ///
    /// @param count how many there were
    default void end(long count, Utf8Buffer out) {}
}
