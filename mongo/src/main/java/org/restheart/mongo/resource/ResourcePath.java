package org.restheart.mongo.resource;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.attribute.Key;

/// The resource of a path, in MongoDB's names. Immutable.
///
/// @param db null for the root and for sessions
/// @param collection null above collections; a bucket's name ends in `.files`
/// @param name the last variable part: a document's id as text, an index, an aggregation, a stream, a session
/// @param transaction the number in the path of a transaction
/// @param surplus whether segments follow a document, file, aggregation or stream: such a path has no resource
public record ResourcePath(
        ResourceKind kind,
        @Nullable String db,
        @Nullable String collection,
        @Nullable String name,
        @Nullable String transaction,
        boolean surplus) {
    public static final Key<ResourcePath> KEY = Key.named("resource path");

    private static final String FILES_SUFFIX = ".files";
    private static final String SCHEMAS = "_schemas";

    public static final ResourcePath ROOT = of(ResourceKind.ROOT, null, null, null);

    private static ResourcePath of(
            ResourceKind kind, @Nullable String db, @Nullable String collection, @Nullable String name) {
        return new ResourcePath(kind, db, collection, name, null, false);
    }

    /// @param tokens the segments of the path in MongoDB's space: `[db, collection, id …]`
    public static ResourcePath parse(List<String> tokens) {
        return switch (tokens.size()) {
            case 0 -> ROOT;
            case 1 -> parseFirst(tokens.getFirst());
            default -> isSessions(tokens) ? parseSession(tokens) : parseInDb(tokens);
        };
    }

    /// Whether the path belongs to sessions, which no mount moves.
    public static boolean isSessions(List<String> tokens) {
        return !tokens.isEmpty() && is(tokens.getFirst(), "_sessions");
    }

    private static ResourcePath parseFirst(String token) {
        return switch (token.toLowerCase(Locale.ROOT)) {
            case "_size" -> of(ResourceKind.ROOT_SIZE, null, null, null);
            case "_meta" -> of(ResourceKind.INVALID, null, null, null);
            case "_sessions" -> of(ResourceKind.SESSIONS, null, null, null);
            default -> of(ResourceKind.DB, token, null, null);
        };
    }

    private static ResourcePath parseSession(List<String> tokens) {
        var sid = tokens.get(1);
        return switch (tokens.size()) {
            case 2 -> of(ResourceKind.SESSION, null, null, sid);
            case 3 ->
                of(is(tokens.get(2), "_txns") ? ResourceKind.TRANSACTIONS : ResourceKind.INVALID, null, null, sid);
            case 4 ->
                is(tokens.get(2), "_txns")
                        ? new ResourcePath(ResourceKind.TRANSACTION, null, null, sid, tokens.get(3), false)
                        : of(ResourceKind.INVALID, null, null, sid);
            default -> of(ResourceKind.INVALID, null, null, sid);
        };
    }

    private static ResourcePath parseInDb(List<String> tokens) {
        var db = tokens.getFirst();
        var second = tokens.get(1);
        if (tokens.size() == 2) {
            return switch (second.toLowerCase(Locale.ROOT)) {
                case "_size" -> of(ResourceKind.DB_SIZE, db, null, null);
                case "_meta" -> of(ResourceKind.DB_META, db, null, null);
                case SCHEMAS -> of(ResourceKind.SCHEMA_STORE, db, SCHEMAS, null);
                default -> of(kindOf(second), db, second, null);
            };
        }
        if (is(second, SCHEMAS)) {
            return parseInSchemaStore(db, tokens);
        }
        return second.endsWith(FILES_SUFFIX)
                ? parseInBucket(db, second, tokens)
                : parseInCollection(db, second, tokens);
    }

    /// The kind of a collection by its name: `COLLECTION`, `FILES_BUCKET` or `SCHEMA_STORE`.
    public static ResourceKind kindOf(String collection) {
        if (is(collection, SCHEMAS)) {
            return ResourceKind.SCHEMA_STORE;
        }
        return collection.endsWith(FILES_SUFFIX) ? ResourceKind.FILES_BUCKET : ResourceKind.COLLECTION;
    }

    private static ResourcePath parseInCollection(String db, String collection, List<String> tokens) {
        var third = tokens.get(2);
        if (tokens.size() == 3) {
            return switch (third.toLowerCase(Locale.ROOT)) {
                case "_size" -> of(ResourceKind.COLLECTION_SIZE, db, collection, null);
                case "_meta" -> of(ResourceKind.COLLECTION_META, db, collection, null);
                case "_violations" -> of(ResourceKind.COLLECTION_VIOLATIONS, db, collection, null);
                case "_validator" -> of(ResourceKind.COLLECTION_VALIDATOR, db, collection, null);
                case "_indexes" -> of(ResourceKind.COLLECTION_INDEXES, db, collection, null);
                case "_aggrs" -> of(ResourceKind.AGGREGATIONS, db, collection, null);
                case "_streams" -> of(ResourceKind.INVALID, db, collection, null);
                case "*" -> of(ResourceKind.BULK_DOCUMENTS, db, collection, null);
                default -> of(ResourceKind.DOCUMENT, db, collection, third);
            };
        }
        var fourth = tokens.get(3);
        return switch (third.toLowerCase(Locale.ROOT)) {
            case "_indexes" ->
                of(tokens.size() == 4 ? ResourceKind.INDEX : ResourceKind.INVALID, db, collection, fourth);
            case "_aggrs" -> named(ResourceKind.AGGREGATION, db, collection, tokens);
            case "_streams" -> named(ResourceKind.CHANGE_STREAM, db, collection, tokens);
            default -> beyond(ResourceKind.DOCUMENT, db, collection, tokens);
        };
    }

    private static ResourcePath parseInBucket(String db, String bucket, List<String> tokens) {
        var third = tokens.get(2);
        if (tokens.size() == 3) {
            return switch (third.toLowerCase(Locale.ROOT)) {
                case "_size" -> of(ResourceKind.FILES_BUCKET_SIZE, db, bucket, null);
                case "_meta" -> of(ResourceKind.FILES_BUCKET_META, db, bucket, null);
                case "_indexes" -> of(ResourceKind.COLLECTION_INDEXES, db, bucket, null);
                case "_aggrs", "_streams" -> of(ResourceKind.INVALID, db, bucket, null);
                case "*" -> of(ResourceKind.BULK_FILES, db, bucket, null);
                default -> of(ResourceKind.FILE, db, bucket, third);
            };
        }
        var fourth = tokens.get(3);
        return switch (third.toLowerCase(Locale.ROOT)) {
            case "_indexes" -> of(tokens.size() == 4 ? ResourceKind.INDEX : ResourceKind.INVALID, db, bucket, fourth);
            case "_aggrs" -> named(ResourceKind.AGGREGATION, db, bucket, tokens);
            case "_streams" -> named(ResourceKind.CHANGE_STREAM, db, bucket, tokens);
            default ->
                tokens.size() == 4 && is(fourth, "binary")
                        ? of(ResourceKind.FILE_BINARY, db, bucket, third)
                        : beyond(ResourceKind.FILE, db, bucket, tokens);
        };
    }

    private static ResourcePath parseInSchemaStore(String db, List<String> tokens) {
        var third = tokens.get(2);
        if (tokens.size() > 3) {
            return beyond(ResourceKind.SCHEMA, db, SCHEMAS, tokens);
        }
        return switch (third.toLowerCase(Locale.ROOT)) {
            case "_size" -> of(ResourceKind.SCHEMA_STORE_SIZE, db, SCHEMAS, null);
            case "_meta" -> of(ResourceKind.SCHEMA_STORE_META, db, SCHEMAS, null);
            case "*" -> of(ResourceKind.BULK_SCHEMAS, db, SCHEMAS, null);
            default -> of(ResourceKind.SCHEMA, db, SCHEMAS, third);
        };
    }

    /// An aggregation or a stream.
    private static ResourcePath named(ResourceKind kind, String db, String collection, List<String> tokens) {
        return tokens.size() == 4
                ? of(kind, db, collection, tokens.get(3))
                : beyond(kind, db, collection, tokens.subList(1, tokens.size()));
    }

    /// A path with segments after a document: neither `_size` and `_meta` nor other segments are resources there.
    private static ResourcePath beyond(ResourceKind kind, String db, String collection, List<String> tokens) {
        var last = tokens.getLast();
        return is(last, "_size") || is(last, "_meta")
                ? of(ResourceKind.INVALID, db, collection, null)
                : new ResourcePath(kind, db, collection, tokens.get(2), null, true);
    }

    private static boolean is(String token, String keyword) {
        return token.equalsIgnoreCase(keyword);
    }

    public Optional<String> database() {
        return Optional.ofNullable(db);
    }

    /// @throws IllegalStateException if this kind of resource is in no database
    public String requireDb() {
        return present(db, "database");
    }

    /// @throws IllegalStateException if this kind of resource is in no collection
    public String requireCollection() {
        return present(collection, "collection");
    }

    /// @throws IllegalStateException if this kind of resource has no name
    public String requireName() {
        return present(name, "name");
    }

    private String present(@Nullable String part, String what) {
        if (part == null) {
            throw new IllegalStateException(kind + " has no " + what);
        }
        return part;
    }
}
