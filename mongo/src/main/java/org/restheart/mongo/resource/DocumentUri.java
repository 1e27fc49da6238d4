package org.restheart.mongo.resource;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.restheart.http.PercentCoding;

/// How the path of a document spells its id: the other direction of [IdType#parse].
public final class DocumentUri {
    private DocumentUri() {}

    /// The path of a collection, percent-encoded, without a slash at the end.
    public static String path(List<String> segments) {
        return segments.stream().map(s -> "/" + PercentCoding.encodeSegment(s)).collect(Collectors.joining());
    }

    /// The last segment of the document's path and, where the id's type does not show, `?id_type=…`.
    /// Percent-encoded. Empty for an id that no path can name.
    public static Optional<String> segment(BsonValue id) {
        return switch (id.getBsonType()) {
            case STRING -> string(id.asString().getValue());
            case OBJECT_ID -> Optional.of(id.asObjectId().getValue().toHexString());
            case INT32 -> number(String.valueOf(id.asInt32().getValue()));
            case INT64 -> number(String.valueOf(id.asInt64().getValue()));
            case DOUBLE -> number(String.valueOf(id.asDouble().getValue()));
            case DATE_TIME -> Optional.of(id.asDateTime().getValue() + "?id_type=DATE");
            case BOOLEAN -> Optional.of(id.asBoolean().getValue() ? "_true" : "_false");
            case NULL -> Optional.of("_null");
            case MIN_KEY -> Optional.of("_MinKey");
            case MAX_KEY -> Optional.of("_MaxKey");
            default -> Optional.empty();
        };
    }

    private static Optional<String> number(String text) {
        return Optional.of(text + "?id_type=NUMBER");
    }

    private static Optional<String> string(String text) {
        if (meansSomethingElse(text)) {
            return Optional.empty();
        }
        var segment = PercentCoding.encodeSegment(text);
        return Optional.of(ObjectId.isValid(text) ? segment + "?id_type=STRING" : segment);
    }

    /// Special ids and the names of other resources win over a string id.
    private static boolean meansSomethingElse(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "", "*", "_size", "_meta", "_indexes", "_aggrs", "_streams" -> true;
            case "_null", "_true", "_false", "_minkey", "_maxkey" -> true;
            default -> false;
        };
    }
}
