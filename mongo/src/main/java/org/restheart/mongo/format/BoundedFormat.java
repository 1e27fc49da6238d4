package org.restheart.mongo.format;

import org.bson.BsonDocument;
import org.restheart.bson.Utf8Buffer;
import org.restheart.http.judged.JudgedRequests;

/// Refuses a result with too many documents, instead of cutting it off unnoticed.
///
/// @param most documents of the result
public record BoundedFormat(DocumentFormat format, int most) implements DocumentFormat {
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
        if (index >= most) {
            throw JudgedRequests.tooManyDocuments(most).raise();
        }
        format.document(document, index, out);
    }

    @Override
    public void end(long count, Utf8Buffer out) {
        format.end(count, out);
    }
}
