package org.restheart.mongo.format;

import org.bson.BsonDocument;
import org.restheart.bson.Utf8Buffer;
import org.restheart.http.judged.JudgedRequests;

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

    /// A document before it is written.
    @FunctionalInterface
    interface Mapping {
        /// @param index counts from 0
        BsonDocument map(BsonDocument document, long index);
    }

    /// This format, of other documents.
    default DocumentFormat mapped(Mapping mapping) {
        var format = this;
        return new DocumentFormat() {
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
                format.document(mapping.map(document, index), index, out);
            }

            @Override
            public void end(long count, Utf8Buffer out) {
                format.end(count, out);
            }
        };
    }

    /// This format, which refuses a result with too many documents instead of cutting it off unnoticed.
    ///
    /// @param most documents of the result
    default DocumentFormat bounded(int most) {
        return mapped((document, index) -> {
            if (index >= most) {
                throw JudgedRequests.tooManyDocuments(most).raise();
            }
            return document;
        });
    }
}
