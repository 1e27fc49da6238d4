package org.restheart.mongo.exchange;

import java.util.List;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.RawDocuments;
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

    /// The stored tags that a tag in a request matches: the text as sent, and the text without quotes.
    public static List<String> meant(String sent) {
        return sent.length() >= 2 && sent.startsWith("\"") && sent.endsWith("\"")
                ? List.of(sent, sent.substring(1, sent.length() - 1))
                : List.of(sent);
    }

    /// Whether `If-None-Match` contains the stored tag (RFC 9110, 13.1.2, weak comparison), so that the
    /// client's copy is current.
    public static boolean isKnown(Request request, String stored) {
        return request.headers()
                .first("If-None-Match")
                .filter(sent -> meant(withoutWeakness(sent)).contains(stored))
                .isPresent();
    }

    /// The tag of `If-None-Match`, in which weak tags equal strong ones.
    public static String withoutWeakness(String sent) {
        return sent.startsWith("W/\"") ? sent.substring(2) : sent;
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
