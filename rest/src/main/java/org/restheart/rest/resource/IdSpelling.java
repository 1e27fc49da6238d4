package org.restheart.rest.resource;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonBinary;
import org.bson.BsonBinarySubType;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.bson.types.ObjectId;
import org.restheart.http.PercentCoding;
import org.restheart.http.judged.DataPaths;

/// Writes a document's id as the last segment of a path, so that [IdType] reads the same value.
public final class IdSpelling {
    /// What [IdType] reads as other values, or not at all.
    private static final Set<String> KEYWORDS = Set.of("", "_null", "_true", "_false", "_minkey", "_maxkey");

    private static final JsonWriterSettings EXACT =
            JsonWriterSettings.builder().outputMode(JsonMode.EXTENDED).build();

    /// Of the path of an object, which is repeated in links.
    private static final int LONGEST = 4_096;

    private static final int UUID_BYTES = 16;

    private IdSpelling() {}

    /// The last segment of the document's path, percent-encoded where it must be (RFC 3986, 3.3), with its `id_type`
    /// if that is needed: `7`, `5?id_type=NUMBER`. Empty for an id that cannot be written in a path: of another
    /// type, or a string with a special meaning in paths.
    public static Optional<String> of(BsonValue id) {
        return switch (id.getBsonType()) {
            case STRING -> ofString(id.asString().getValue());
            case OBJECT_ID -> Optional.of(id.asObjectId().getValue().toHexString());
            case INT32 -> Optional.of(id.asInt32().getValue() + "?id_type=NUMBER");
            case INT64 -> Optional.of(id.asInt64().getValue() + "?id_type=NUMBER");
            case DOUBLE -> Optional.of(encode(Double.toString(id.asDouble().getValue())) + "?id_type=NUMBER");
            case DATE_TIME -> Optional.of(id.asDateTime().getValue() + "?id_type=DATE");
            case BOOLEAN -> Optional.of("_" + id.asBoolean().getValue());
            case NULL -> Optional.of("_null");
            case MIN_KEY -> Optional.of("_MinKey");
            case MAX_KEY -> Optional.of("_MaxKey");
            case DECIMAL128 -> Optional.of(encode(id.asDecimal128().getValue().toString()) + "?id_type=DECIMAL128");
            case BINARY -> ofBinary(id.asBinary());
            case DOCUMENT -> ofDocument(id.asDocument());
            default -> Optional.empty();
        };
    }

    private static Optional<String> ofBinary(BsonBinary id) {
        return id.getType() == BsonBinarySubType.UUID_STANDARD.getValue() && id.getData().length == UUID_BYTES
                ? Optional.of(id.asUuid() + "?id_type=UUID")
                : Optional.empty();
    }

    /// In Extended JSON, by which each field keeps its type.
    private static Optional<String> ofDocument(BsonDocument id) {
        if (id.keySet().stream().anyMatch(name -> name.startsWith("$"))) {
            return Optional.empty();
        }
        var path = encode(id.toJson(EXACT)) + "?id_type=DOCUMENT";
        return path.length() <= LONGEST ? Optional.of(path) : Optional.empty();
    }

    private static Optional<String> ofString(String id) {
        if (DataPaths.isReserved(id) || KEYWORDS.contains(id.toLowerCase(Locale.ROOT))) {
            return Optional.empty();
        }
        return ObjectId.isValid(id) ? Optional.of(id + "?id_type=STRING") : segment(id);
    }

    /// A name as a segment of a link. Empty for dot segments: however they are encoded, clients remove them from URLs
    /// (RFC 3986, 5.2.4), so that another resource would be named.
    public static Optional<String> segment(String name) {
        return name.equals(".") || name.equals("..") ? Optional.empty() : Optional.of(encode(name));
    }

    /// Percent-encodes characters that are not allowed in a path segment, and `;`, which starts path parameters.
    public static String encode(String segment) {
        return PercentCoding.encode(segment, "!$&'()*+,=:@");
    }
}
