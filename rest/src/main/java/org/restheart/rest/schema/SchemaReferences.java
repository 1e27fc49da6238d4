package org.restheart.rest.schema;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.BsonValues;
import org.restheart.http.ProblemException;

/// The schemas to which a schema refers, directly or indirectly, by URIs that need no evaluation: those
/// relative to the URI of the schema itself, or absolute ones.
///
/// A caller who writes a schema needs the right to read those of them that are in other databases, and the
/// evaluation loads no others from there. Both use this class, so that they cannot differ.
public final class SchemaReferences {
    private static final Set<String> REFERENCES = Set.of("$ref", "$dynamicRef", "$recursiveRef");

    /// Most schemas that one schema may refer to, directly or indirectly.
    static final int MAX = 100;

    private SchemaReferences() {}

    /// Blocks for MongoDB.
    ///
    /// @param from a schema's key; the schema itself need not be stored
    /// @param schema as clients see it
    /// @param find a stored schema
    /// @return by URI; empty values for those that are not there
    /// @throws ProblemException 500 for more than [#MAX]
    public static Map<String, Optional<BsonDocument>> all(
            SchemaKey from, BsonDocument schema, Function<SchemaKey, Optional<BsonDocument>> find) {
        var all = new HashMap<String, Optional<BsonDocument>>();
        var unread = new ArrayDeque<>(named(from, schema, REFERENCES));
        while (!unread.isEmpty()) {
            var key = unread.remove();
            if (key.uri().equals(from.uri()) || all.containsKey(key.uri())) {
                continue;
            }
            if (all.size() == MAX) {
                throw SchemaReference.misconfigured("more than " + MAX + " schemas refer to each other");
            }
            var found = find.apply(key);
            all.put(key.uri(), found);
            found.ifPresent(document -> unread.addAll(named(key, document, REFERENCES)));
        }
        return all;
    }

    /// The schemas that are not there, of those that a schema refers to. Blocks for MongoDB.
    ///
    /// @param schema as clients see it
    static List<SchemaKey> missing(
            SchemaKey from, BsonDocument schema, Function<SchemaKey, Optional<BsonDocument>> find) {
        var all = new HashMap<>(all(from, schema, find));
        var embedded = identified(from, schema);
        all.forEach((uri, found) -> {
            if (found.isPresent()) {
                SchemaKey.of(uri).ifPresent(key -> embedded.addAll(identified(key, found.get())));
            }
        });
        embedded.forEach(key -> all.remove(key.uri()));
        return all.entrySet().stream()
                .filter(entry -> entry.getValue().isEmpty())
                .flatMap(entry -> SchemaKey.of(entry.getKey()).stream())
                .sorted(Comparator.comparing(SchemaKey::uri))
                .toList();
    }

    /// Parts of a schema that have URIs of their own.
    private static Set<SchemaKey> identified(SchemaKey from, BsonDocument schema) {
        return named(from, schema, Set.of(SchemaForm.identifier(SchemaForm.version(schema))));
    }

    /// @param keywords whose values are URIs
    /// @return modifiable
    private static Set<SchemaKey> named(SchemaKey from, BsonDocument schema, Set<String> keywords) {
        var keys = new HashSet<SchemaKey>();
        var unread = new ArrayDeque<BsonValue>();
        unread.add(schema);
        while (!unread.isEmpty()) {
            var part = unread.remove();
            if (part instanceof BsonDocument document) {
                document.forEach((name, value) -> {
                    if (value.isString() && keywords.contains(name)) {
                        target(from, value.asString().getValue()).ifPresent(keys::add);
                    }
                });
            }
            BsonValues.within(part).forEach(unread::add);
        }
        return keys;
    }

    private static Optional<SchemaKey> target(SchemaKey from, String reference) {
        try {
            return SchemaKey.of(
                    URI.create(from.uri()).resolve(new URI(reference)).toString());
        } catch (URISyntaxException | IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    /// What a JSON pointer in a fragment of a URI (RFC 6901, 6) names in a schema; null if that is nothing.
    ///
    /// @param pointer empty, or begins with a slash
    public static @Nullable BsonValue within(BsonDocument schema, String pointer) {
        BsonValue found = schema;
        for (var token :
                pointer.isEmpty() ? new String[0] : pointer.substring(1).split("/", -1)) {
            var name = unescaped(token);
            found = switch (found) {
                case BsonDocument document -> document.get(name);
                case BsonArray array
                when name.matches("\\d{1,6}") && Integer.parseInt(name) < array.size() ->
                    array.get(Integer.parseInt(name));
                case null, default -> null;
            };
        }
        return found;
    }

    private static String unescaped(String token) {
        try {
            return URLDecoder.decode(token.replace("+", "%2B"), StandardCharsets.UTF_8)
                    .replace("~1", "/")
                    .replace("~0", "~");
        } catch (IllegalArgumentException _) { // a percent sign that encodes nothing
            return token;
        }
    }
}
