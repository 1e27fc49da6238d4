package org.restheart.rest.schema;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.restheart.mongo.metadata.ResourceNames;
import org.restheart.rest.resource.IdSpelling;

/// The key of a schema: the database of its store and its id, a string or an ObjectId.
public record SchemaKey(String db, BsonValue id) {
    /// Not a real host: URIs are resolved by this server only.
    static final String BASE = "http://schema-store/";

    public static boolean isId(BsonValue id) {
        return id.isString() || id.isObjectId();
    }

    /// Its URI, without a fragment: references in it are relative to this.
    public String uri() {
        return BASE + IdSpelling.encode(db) + "/" + IdSpelling.encode(idText());
    }

    /// Unique: unlike the URI it distinguishes a string from the ObjectId with the same text.
    String text() {
        return (id.isString() ? "string " : "oid ") + uri();
    }

    /// `db/_schemas/id`, as messages name it.
    String place() {
        return db + "/" + Schemas.COLLECTION + "/" + idText();
    }

    public String idText() {
        return id.isString()
                ? id.asString().getValue()
                : id.asObjectId().getValue().toHexString();
    }

    /// The key of a URI; an id that looks like an ObjectId is one. Empty for any other URI.
    static Optional<SchemaKey> of(String uri) {
        var parts = uri.startsWith(BASE) ? uri.substring(BASE.length()).split("[/#]", -1) : new String[0];
        if (parts.length < 2 || parts[0].isEmpty() || parts[1].isEmpty()) {
            return Optional.empty();
        }
        var db = decode(parts[0]);
        var id = decode(parts[1]);
        return ResourceNames.isReservedDb(db)
                ? Optional.empty()
                : Optional.of(new SchemaKey(
                        db, ObjectId.isValid(id) ? new BsonObjectId(new ObjectId(id)) : new BsonString(id)));
    }

    private static String decode(String segment) {
        return URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.UTF_8);
    }
}
