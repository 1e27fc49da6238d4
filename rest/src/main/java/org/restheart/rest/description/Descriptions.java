package org.restheart.rest.description;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoNamespace;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.restheart.bson.RawDocuments;
import org.restheart.http.Connection;
import org.restheart.http.MemoryBudget;
import org.restheart.http.RequestPath;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.DataCatalog;
import org.restheart.http.judged.RequestKind.Segment;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.metadata.EscapedKeys;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.mongo.metadata.ResourceNames;
import org.restheart.mongo.metadata.SharedLoads;
import org.restheart.mongo.metadata.StoredMetadata;
import org.restheart.rest.management.Catalog;
import org.restheart.rest.resource.Mounts;
import org.restheart.rest.resource.ResourcePath;
import org.restheart.rest.schema.SchemaForm;

/// The structure of databases and collections, for services that describe it: regardless of what a caller may see.
/// Cached as long as other metadata; a change through this gateway invalidates the cache immediately. Blocks for
/// MongoDB. Thread-safe.
public final class Descriptions {
    /// Further schemas of a database are not described.
    private static final int MAX_SCHEMAS = 500;

    /// Bytes of the schemas of a database that are described, all together, and of its properties and validators. As
    /// objects they take ten times as much.
    private static final long MAX_BYTES = Math.min(4 << 20, MemoryBudget.Part.METADATA.bytes() / 8);

    /// Properties whose keys are escaped in MongoDB.
    private static final List<String> ESCAPED = List.of("aggrs", "streams", "openapi");

    private static final int MAX_ENTRIES = 5_000;

    private final MongoClient client;
    private final Catalog catalog;
    private final Mounts mounts;
    private final DriverFinder documents;
    private final MemoryBudget memory;
    private final SharedLoads<String, List<String>> databases;
    private final SharedLoads<String, DatabaseStructure> structures;
    private final SharedLoads<MongoNamespace, List<BsonDocument>> indexes;
    private final List<Consumer<String>> listeners = new CopyOnWriteArrayList<>();

    /// @param ttl how long structures are kept; zero to ask each time, negative to keep them until they are forgotten
    public Descriptions(
            MongoClient client,
            Catalog catalog,
            Mounts mounts,
            DriverFinder documents,
            MemoryBudget memory,
            Duration ttl) {
        this.client = client;
        this.catalog = catalog;
        this.mounts = mounts;
        this.documents = documents;
        this.memory = memory;
        this.databases = loads("databases", ttl);
        this.structures = new SharedLoads<>(
                "structures", MAX_ENTRIES, ttl, Descriptions::bytes, MemoryBudget.Part.METADATA.bytes() / 2);
        this.indexes = loads("indexes", ttl);
    }

    private static <K, V> SharedLoads<K, V> loads(String name, Duration ttl) {
        return new SharedLoads<>(name, MAX_ENTRIES, ttl, _ -> 0, MAX_ENTRIES);
    }

    private static long bytes(DatabaseStructure structure) {
        var documents = Stream.concat(
                structure.schemas.values().stream(),
                structure.collections.stream()
                        .flatMap(each -> Stream.concat(Stream.of(each.properties), each.validator.stream())));
        return StoredMetadata.EXPANSION
                * documents
                        .mapToLong(each -> RawDocuments.encode(each).getByteLength())
                        .sum();
    }

    public Shapes shapes(Shapes.Settings settings, Consumer<Shapes.Sample> meter) {
        var shapes = new Shapes(documents, memory, settings, meter);
        listeners.add(shapes::forget);
        return shapes;
    }

    /// The names of all databases that clients may see, by code point.
    public List<String> databases() {
        return databases.get("", _ -> CallerScope.lookUp(this::readDatabases));
    }

    /// Without collections if there is no such database.
    public DatabaseStructure database(String db) {
        return ResourceNames.isLegalDb(db) && db.length() < 64 && !ResourceNames.isReservedDb(db)
                ? structures.get(db, name -> CallerScope.lookUp(() -> readStructure(name)))
                : new DatabaseStructure(db, List.of(), Map.of());
    }

    /// The keys and options of a collection's indexes, as MongoDB has them.
    public List<BsonDocument> indexes(MongoNamespace namespace) {
        return indexes.get(namespace, name -> CallerScope.lookUp(() -> readIndexes(name)));
    }

    /// The resource of a path of the data API; empty if no mount covers it.
    public Optional<ResourcePath> resolve(RequestPath path, Connection connection) {
        return mounts.resolve(path, connection).map(Mounts.Located::path);
    }

    /// The path of a resource; empty if it is not mounted, or if its path is that of another resource.
    ///
    /// @param tokens none for the root, a database, a database and a collection, or those and a document
    public Optional<RequestPath> pathOf(Connection connection, ResourceKind kind, String... tokens) {
        return mounts.pathOf(connection, List.of(tokens))
                .filter(path -> resolve(path, connection)
                        .filter(found -> found.kind() == kind
                                && (tokens.length < 1 || tokens[0].equals(found.db()))
                                && (tokens.length < 2 || tokens[1].equals(found.collection())))
                        .isPresent());
    }

    /// What paths of collections look like, as in [org.restheart.http.judged.DataPaths].
    ///
    /// @param db of the collections; empty for all
    public List<List<Segment>> collectionPaths(Optional<String> db) {
        return mounts.collectionPaths(db);
    }

    /// Invalidates what is cached of a database, after a change of anything but documents.
    public void forget(String db) {
        databases.forget("");
        structures.forget(db);
        indexes.forgetIf(namespace -> namespace.getDatabaseName().equals(db));
        listeners.forEach(listener -> listener.accept(db));
    }

    private List<String> readDatabases() {
        return catalog.databases().stream().filter(mounts::mayShow).toList();
    }

    private DatabaseStructure readStructure(String db) {
        var database = client.getDatabase(db);
        var properties = StoredMetadata.properties(database, MAX_BYTES);
        properties.values().forEach(Descriptions::makeReadable);
        var collections = new TreeMap<String, CollectionStructure>(DataCatalog.BY_CODE_POINT);
        long left = MAX_BYTES;
        try (var cursor = database.listCollections(RawBsonDocument.class).cursor()) {
            while (cursor.hasNext()) {
                var found = cursor.next();
                var name = found.getString("name").getValue();
                if (!ResourceNames.isReservedCollection(name)) {
                    left -= found.getByteLength();
                    collections.put(
                            name,
                            structure(
                                    name,
                                    left >= 0 ? RawDocuments.toTree(found) : new BsonDocument(),
                                    properties.getOrDefault(Metadata.propertiesId(name), new BsonDocument())));
                }
            }
        }
        return new DatabaseStructure(db, List.copyOf(collections.values()), schemas(database));
    }

    private static void makeReadable(BsonDocument properties) {
        ESCAPED.forEach(name -> properties.computeIfPresent(name, (_, escaped) -> EscapedKeys.unescape(escaped)));
    }

    private static CollectionStructure structure(String name, BsonDocument found, BsonDocument properties) {
        var options = found.getDocument("options", new BsonDocument());
        boolean enforced =
                isAbsentOr(options, "validationAction", "error") && isAbsentOr(options, "validationLevel", "strict");
        return new CollectionStructure(name, ResourcePath.kindOf(name), Catalog.validator(found), enforced, properties);
    }

    private static boolean isAbsentOr(BsonDocument options, String name, String value) {
        return options.getOrDefault(name, new BsonString(value)).equals(new BsonString(value));
    }

    private Map<String, BsonDocument> schemas(MongoDatabase database) {
        var schemas = new TreeMap<String, BsonDocument>(DataCatalog.BY_CODE_POINT);
        for (var schema : StoredMetadata.schemas(database, MAX_SCHEMAS, MAX_BYTES)) {
            var id = schema.get("_id");
            if (id instanceof BsonString text) {
                schemas.put(text.getValue(), SchemaForm.shown(schema));
            } else if (id != null && id.isObjectId()) {
                schemas.put(id.asObjectId().getValue().toHexString(), SchemaForm.shown(schema));
            }
        }
        return schemas;
    }

    /// None for a view, which MongoDB has no indexes of, and if the gateway may not list them.
    private List<BsonDocument> readIndexes(MongoNamespace namespace) {
        try {
            return List.copyOf(catalog.indexes(namespace));
        } catch (MongoCommandException e) {
            if (e.getErrorCode() == MongoCodes.NOT_SUPPORTED_ON_VIEW || e.getErrorCode() == MongoCodes.UNAUTHORIZED) {
                return List.of();
            }
            throw e;
        }
    }

    /// A database without documents: its collections and JSON Schemas. Immutable by agreement.
    ///
    /// @param collections by code point of their names, without reserved ones
    /// @param schemas the stored JSON Schemas, with unescaped keys, by the text of their ids
    public record DatabaseStructure(
            String name, List<CollectionStructure> collections, Map<String, BsonDocument> schemas) {}

    /// A collection without its documents: kind, validator and properties. Immutable by agreement.
    ///
    /// @param kind `COLLECTION`, `FILES_BUCKET` or `SCHEMA_STORE`
    /// @param validator the JSON Schema of its validator, if it has one
    /// @param enforced whether MongoDB refuses every write that the validator does not allow
    /// @param properties the properties that clients have stored; may be empty
    public record CollectionStructure(
            String name,
            ResourceKind kind,
            Optional<BsonDocument> validator,
            boolean enforced,
            BsonDocument properties) {}
}
