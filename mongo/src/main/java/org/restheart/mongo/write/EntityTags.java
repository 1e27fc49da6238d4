package org.restheart.mongo.write;

import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.RawDocuments;

/// Entity tags as this API writes them: the value of `_etag`, bare, without the quotes of RFC 9110. Clients may send
/// them with quotes.
public final class EntityTags {
    public static final String FIELD = "_etag";

    private EntityTags() {}

    /// The tag stored in a document or in properties.
    public static Optional<String> of(BsonDocument document) {
        return text(RawDocuments.get(document, FIELD).orElse(null));
    }

    /// The tag of a file is in its metadata, which clients can write.
    public static BsonDocument holderInFile(BsonDocument file) {
        var metadata = file.get("metadata");
        return metadata != null && metadata.isDocument() ? metadata.asDocument() : new BsonDocument();
    }

    private static Optional<String> text(@Nullable BsonValue etag) {
        if (etag == null) {
            return Optional.empty();
        }
        return switch (etag.getBsonType()) {
            case OBJECT_ID -> Optional.of(etag.asObjectId().getValue().toHexString());
            case STRING -> Optional.of(etag.asString().getValue());
            default -> Optional.empty();
        };
    }
}
