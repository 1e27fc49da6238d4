package org.restheart.openapi;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.http.RequestPath;
import org.restheart.mongo.description.Descriptions;
import org.restheart.mongo.description.Descriptions.CollectionStructure;

/// The JSON Schema that a collection names, with those to which it refers, as far as a caller may read them.
/// Confined to one request.
final class ReadableSchemas {
    /// The host of references to stored schemas, which is none.
    private static final String STORE = "http://schema-store/";

    private static final int MAX_RELATED = 50;

    private final Descriptions descriptions;
    private final BiPredicate<String, String> readable;
    private final Map<String, Boolean> known = new HashMap<>();

    /// A schema whose references to others are absolute.
    ///
    /// @param related the others, by the text of the references
    record StoredSchema(BsonDocument schema, Map<String, BsonDocument> related) {}

    /// @param readable whether the caller may read the schema of a database and an id
    ReadableSchemas(Descriptions descriptions, BiPredicate<String, String> readable) {
        this.descriptions = descriptions;
        this.readable = readable;
    }

    /// The schema that the property `jsonSchema` of a collection names.
    Optional<StoredSchema> of(String db, CollectionStructure structure) {
        if (!(structure.properties().get("jsonSchema") instanceof BsonDocument reference)) {
            return Optional.empty();
        }
        var store = reference.get("schemaStoreDb") instanceof BsonString other ? other.getValue() : db;
        var id = reference.get("schemaId");
        var text = id instanceof BsonString name
                ? name.getValue()
                : id != null && id.isObjectId() ? id.asObjectId().getValue().toHexString() : "";
        return find(store, text).map(schema -> {
            var related = new TreeMap<String, BsonDocument>();
            var waiting = new ArrayDeque<>(references(schema));
            while (!waiting.isEmpty() && related.size() < MAX_RELATED) {
                var next = waiting.poll();
                if (!related.containsKey(next)) {
                    find(next).ifPresent(other -> {
                        related.put(next, other);
                        waiting.addAll(references(other));
                    });
                }
            }
            return new StoredSchema(schema, related);
        });
    }

    private Optional<BsonDocument> find(String reference) {
        var parts = reference.substring(STORE.length()).split("/", -1);
        return parts.length == 2 ? find(decoded(parts[0]), decoded(parts[1])) : Optional.empty();
    }

    private static String decoded(String segment) {
        return URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    private Optional<BsonDocument> find(String db, String id) {
        var base = URI.create(STORE).resolve(RequestPath.of(List.of(db, id)).raw());
        if (!known.computeIfAbsent(base.toString(), _ -> readable.test(db, id))) {
            return Optional.empty();
        }
        return Optional.ofNullable(descriptions.database(db).schemas().get(id))
                .map(schema -> (BsonDocument) absolute(schema, base));
    }

    /// A copy whose references to other schemas are absolute and without an empty fragment.
    private static BsonValue absolute(BsonValue value, URI base) {
        if (value instanceof BsonArray array) {
            var copy = new BsonArray();
            array.forEach(element -> copy.add(absolute(element, base)));
            return copy;
        }
        if (!(value instanceof BsonDocument document)) {
            return value;
        }
        var copy = new BsonDocument();
        document.forEach((name, inner) -> copy.append(
                name,
                name.equals("$ref")
                                && inner instanceof BsonString reference
                                && !reference.getValue().startsWith("#")
                        ? new BsonString(resolved(reference.getValue(), base))
                        : absolute(inner, base)));
        return copy;
    }

    private static String resolved(String reference, URI base) {
        try {
            var uri = base.resolve(reference).toString();
            return uri.endsWith("#") ? uri.substring(0, uri.length() - 1) : uri;
        } catch (IllegalArgumentException _) {
            return reference;
        }
    }

    private static Set<String> references(BsonValue value) {
        var found = new LinkedHashSet<String>();
        collect(value, found);
        return found;
    }

    private static void collect(BsonValue value, Set<String> found) {
        if (value instanceof BsonArray array) {
            array.forEach(element -> collect(element, found));
        } else if (value instanceof BsonDocument document) {
            if (document.get("$ref") instanceof BsonString reference
                    && reference.getValue().startsWith(STORE)) {
                found.add(reference.getValue());
            }
            document.values().forEach(inner -> collect(inner, found));
        }
    }
}
