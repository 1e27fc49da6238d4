package org.restheart.mongo.exchange;

import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.RawDocuments;
import org.restheart.http.EntityTagList;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// Entity tags as this API writes them: the value of `_etag`, bare, without the quotes of RFC 9110. Clients may send
/// them with quotes.
public final class EntityTags {
    public static final String FIELD = "_etag";

    private EntityTags() {}

    /// The tag stored in a document or in properties.
    public static Optional<String> of(BsonDocument document) {
        return text(RawDocuments.get(document, FIELD).orElse(null));
    }

    /// Whether `If-None-Match` says that the client's copy is current.
    ///
    /// @param stored empty for a document without a tag
    public static boolean isKnown(Request request, Optional<String> stored) {
        return EntityTagList.of(request.headers(), "If-None-Match")
                .filter(known -> known.isCurrent(stored.orElse(null)))
                .isPresent();
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

    /// The response with the tag of `document`, if it has one.
    public static Response.Ready add(Response.Ready response, Optional<BsonDocument> document) {
        return document.flatMap(EntityTags::of)
                .map(tag -> response.with("ETag", tag))
                .orElse(response);
    }
}
