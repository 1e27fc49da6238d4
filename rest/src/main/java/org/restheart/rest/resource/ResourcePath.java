package org.restheart.rest.resource;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
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

    /// What words mean behind the name of a collection, by its kind; other segments there name a document.
    private static final Map<ResourceKind, Map<String, ResourceKind>> WORDS = Map.of(
            ResourceKind.COLLECTION,
            Map.of(
                    "_size", ResourceKind.COLLECTION_SIZE,
                    "_meta", ResourceKind.COLLECTION_META,
                    "_violations", ResourceKind.COLLECTION_VIOLATIONS,
                    "_validator", ResourceKind.COLLECTION_VALIDATOR,
                    "_indexes", ResourceKind.COLLECTION_INDEXES,
                    "_aggrs", ResourceKind.AGGREGATIONS,
                    "_streams", ResourceKind.INVALID,
                    "*", ResourceKind.BULK_DOCUMENTS),
            ResourceKind.FILES_BUCKET,
            Map.of(
                    "_size", ResourceKind.FILES_BUCKET_SIZE,
                    "_meta", ResourceKind.FILES_BUCKET_META,
                    "_indexes", ResourceKind.COLLECTION_INDEXES,
                    "_aggrs", ResourceKind.INVALID,
                    "_streams", ResourceKind.INVALID,
                    "*", ResourceKind.BULK_FILES),
            ResourceKind.SCHEMA_STORE,
            Map.of(
                    "_size", ResourceKind.SCHEMA_STORE_SIZE,
                    "_meta", ResourceKind.SCHEMA_STORE_META,
                    "*", ResourceKind.BULK_SCHEMAS));

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
        return parseInCollection(db, kindOf(second), is(second, SCHEMAS) ? SCHEMAS : second, tokens);
    }

    /// The kind of a collection by its name: `COLLECTION`, `FILES_BUCKET` or `SCHEMA_STORE`.
    public static ResourceKind kindOf(String collection) {
        if (is(collection, SCHEMAS)) {
            return ResourceKind.SCHEMA_STORE;
        }
        return collection.endsWith(FILES_SUFFIX) ? ResourceKind.FILES_BUCKET : ResourceKind.COLLECTION;
    }

    private static ResourcePath parseInCollection(
            String db, ResourceKind parent, String collection, List<String> tokens) {
        var third = tokens.get(2);
        var word = third.toLowerCase(Locale.ROOT);
        var member = switch (parent) {
            case FILES_BUCKET -> ResourceKind.FILE;
            case SCHEMA_STORE -> ResourceKind.SCHEMA;
            default -> ResourceKind.DOCUMENT;
        };
        if (tokens.size() == 3) {
            var meant = wordsIn(parent).get(word);
            return meant == null ? of(member, db, collection, third) : of(meant, db, collection, null);
        }
        if (parent == ResourceKind.SCHEMA_STORE) {
            return beyond(member, db, collection, tokens);
        }
        var fourth = tokens.get(3);
        return switch (word) {
            case "_indexes" ->
                of(tokens.size() == 4 ? ResourceKind.INDEX : ResourceKind.INVALID, db, collection, fourth);
            case "_aggrs" -> named(ResourceKind.AGGREGATION, db, collection, tokens);
            case "_streams" -> named(ResourceKind.CHANGE_STREAM, db, collection, tokens);
            default ->
                member == ResourceKind.FILE && tokens.size() == 4 && is(fourth, "binary")
                        ? of(ResourceKind.FILE_BINARY, db, collection, third)
                        : beyond(member, db, collection, tokens);
        };
    }

    /// @param parent a collection, bucket or store
    private static Map<String, ResourceKind> wordsIn(ResourceKind parent) {
        return Objects.requireNonNull(WORDS.get(parent));
    }

    /// The segments behind the name of a collection that name no document.
    static Set<String> words() {
        return wordsIn(ResourceKind.COLLECTION).keySet();
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
        return token.toLowerCase(Locale.ROOT).equals(keyword); // as in switch statements
    }

    public Optional<String> database() {
        return Optional.ofNullable(db);
    }

    public String requireDb() {
        return present(db, "database");
    }

    public String requireCollection() {
        return present(collection, "collection");
    }

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
