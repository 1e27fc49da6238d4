package org.restheart.openapi;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.http.Method;
import org.restheart.http.Words;
import org.restheart.http.access.ResourceKind;
import org.restheart.mongo.description.Descriptions.CollectionStructure;
import org.restheart.openapi.DataOperation.Input;
import org.restheart.openapi.DataOperation.Output;

/// The operations of the data API. Combinations that are not listed are not described.
final class Operations {
    /// In each line: kind of the resource, method, first and last part of the id, statuses of success,
    /// content of the request and of a successful response, summary; `-` for an empty text.
    private static final List<DataOperation> ALL =
            """
            ROOT                  GET    list      Databases   200             NONE       NAMES      Names of databases
            ROOT_SIZE             GET    get       Size        200             NONE       SIZE       Number of databases
            DB                    GET    list      Collections 200             NONE       NAMES      Names of collections
            DB                    PUT    put       Database    200,201         PROPERTIES NONE       Create the database or replace its properties
            DB                    PATCH  patch     Database    200             PROPERTIES NONE       Change properties of the database
            DB                    DELETE drop      Database    204             NONE       NONE       Drop the database
            DB_SIZE               GET    get       Size        200             NONE       SIZE       Number of collections
            DB_META               GET    get       Meta        200,304         NONE       PROPERTIES Properties of the database
            COLLECTION            GET    list      -           200             NONE       DOCUMENTS  Documents
            COLLECTION            PUT    put       -           200,201         PROPERTIES NONE       Create the collection or replace its properties
            COLLECTION            PATCH  patch     -           200             PROPERTIES NONE       Change properties of the collection
            COLLECTION            DELETE drop      -           204             NONE       NONE       Drop the collection
            COLLECTION_SIZE       GET    get       Size        200             NONE       SIZE       Number of what matches a filter
            COLLECTION_META       GET    get       Meta        200,304         NONE       PROPERTIES Properties of the collection
            COLLECTION            POST   create    -           200,201,207     DOCUMENTS  BULK       Insert one document or several
            DOCUMENT              GET    get       ById        200,304         NONE       DOCUMENT   One document
            DOCUMENT              PUT    replace   ById        200,201         DOCUMENT   NONE       Replace a document
            DOCUMENT              PATCH  update    ById        200,201         CHANGES    NONE       Change properties of a document
            DOCUMENT              DELETE delete    ById        204             NONE       NONE       Delete a document
            BULK_DOCUMENTS        PATCH  update    Many        200,207         CHANGES    BULK       Change all documents that match a filter
            BULK_DOCUMENTS        DELETE delete    Many        200,207         NONE       BULK       Delete all documents that match a filter
            COLLECTION_VIOLATIONS GET    check     Violations  200             NONE       STATE      Documents that violate a JSON Schema
            COLLECTION_VALIDATOR  GET    get       Validator   200             NONE       STATE      MongoDB's validator that follows the JSON Schema
            COLLECTION_VALIDATOR  PUT    put       Validator   200,201         VALIDATOR  STATE      Let MongoDB hold all writers to the JSON Schema
            COLLECTION_VALIDATOR  DELETE delete    Validator   204             NONE       NONE       Remove the validator from MongoDB
            COLLECTION_INDEXES    GET    list      Indexes     200             NONE       INDEXES    Indexes
            INDEX                 PUT    create    Index       201             INDEX      NONE       Create an index
            INDEX                 DELETE delete    Index       204             NONE       NONE       Drop an index
            AGGREGATIONS          POST   aggregate -           200             PIPELINE   RESULTS    Run a pipeline
            AGGREGATION           GET    run       -           200             NONE       RESULTS    Results of a stored aggregation
            CHANGE_STREAM         GET    watch     -           101,200         NONE       EVENTS     Changes as they happen, as server-sent events or on a WebSocket
            FILES_BUCKET          GET    list      -           200             NONE       DOCUMENTS  Metadata of files
            FILES_BUCKET          PUT    put       -           200,201         PROPERTIES NONE       Create the bucket or replace its properties
            FILES_BUCKET          PATCH  patch     -           200             PROPERTIES NONE       Change properties of the bucket
            FILES_BUCKET          DELETE drop      -           204             NONE       NONE       Drop the bucket
            FILES_BUCKET_SIZE     GET    get       Size        200             NONE       SIZE       Number of what matches a filter
            FILES_BUCKET_META     GET    get       Meta        200,304         NONE       PROPERTIES Properties of the bucket
            FILES_BUCKET          POST   create    -           201             FILE       NONE       Upload a file
            FILE                  GET    get       ById        200,304         NONE       DOCUMENT   One file's metadata
            FILE                  PUT    replace   ById        200,201         FILE       NONE       Upload a file under this id
            FILE                  PATCH  update    ById        200             METADATA   NONE       Change a file's metadata
            FILE                  DELETE delete    ById        204             NONE       NONE       Delete a file
            FILE_BINARY           GET    download  ById        200,206,304,416 NONE       BYTES      A file's content
            BULK_FILES            DELETE delete    Many        200             NONE       BULK       Delete all files that match a filter
            SCHEMA_STORE          GET    list      -           200             NONE       DOCUMENTS  JSON Schemas
            SCHEMA_STORE          PUT    put       -           200,201         PROPERTIES NONE       Create the schema store or replace its properties
            SCHEMA_STORE          PATCH  patch     -           200             PROPERTIES NONE       Change properties of the schema store
            SCHEMA_STORE          DELETE drop      -           204             NONE       NONE       Drop the schema store
            SCHEMA_STORE_SIZE     GET    get       Size        200             NONE       SIZE       Number of what matches a filter
            SCHEMA_STORE_META     GET    get       Meta        200,304         NONE       PROPERTIES Properties of the schema store
            SCHEMA_STORE          POST   create    -           200,201         SCHEMA     NONE       Store a JSON Schema
            SCHEMA                GET    get       ById        200,304         NONE       DOCUMENT   One JSON Schema
            SCHEMA                PUT    replace   ById        200,201         SCHEMA     NONE       Store a JSON Schema
            SCHEMA                DELETE delete    ById        204             NONE       NONE       Delete a JSON Schema
            BULK_SCHEMAS          PATCH  update    Many        200             CHANGES    BULK       Change all schemas that match a filter
            BULK_SCHEMAS          DELETE delete    Many        200             NONE       BULK       Delete all schemas that match a filter
            SESSIONS              POST   create    Session     201             NONE       NONE       Start a session
            SESSION               DELETE delete    Session     204             NONE       NONE       End a session
            TRANSACTIONS          GET    get       Transaction 200             NONE       STATE      State of the session's transaction
            TRANSACTIONS          POST   start     Transaction 201             NONE       NONE       Start a transaction
            TRANSACTION           PATCH  commit    Transaction 200             NONE       NONE       Commit a transaction
            TRANSACTION           DELETE abort     Transaction 204             NONE       NONE       Abort a transaction
            """.lines().map(Operations::parse).toList();

    private Operations() {}

    static List<DataOperation> of(ResourceKind kind) {
        return ALL.stream().filter(operation -> operation.kind() == kind).toList();
    }

    private static DataOperation parse(String line) {
        var cells = line.split(" +", 8);
        return new DataOperation(
                ResourceKind.valueOf(cells[0]),
                Method.valueOf(cells[1]),
                cells[2],
                cells[3].equals("-") ? "" : cells[3],
                cells[7],
                Arrays.stream(cells[4].split(",", -1)).map(Integer::valueOf).toList(),
                Output.valueOf(cells[6]),
                Input.valueOf(cells[5]));
    }

    /// The resources below a collection, with those that its properties declare.
    static final class CollectionPaths {
        private static final String DOCUMENTS = """
            DOCUMENT={id} BULK_DOCUMENTS=* COLLECTION_SIZE=_size COLLECTION_META=_meta
            COLLECTION_VIOLATIONS=_violations COLLECTION_VALIDATOR=_validator AGGREGATIONS=_aggrs
            """;
        private static final String FILES = """
            FILE={id} FILE_BINARY={id}/binary BULK_FILES=* FILES_BUCKET_SIZE=_size FILES_BUCKET_META=_meta
            """;
        private static final String SCHEMAS =
                "SCHEMA={id} BULK_SCHEMAS=* SCHEMA_STORE_SIZE=_size SCHEMA_STORE_META=_meta";
        private static final String INDEXES = "COLLECTION_INDEXES=_indexes INDEX=_indexes/{index}";

        private CollectionPaths() {}

        /// The resources of a collection, by the rest of their paths.
        static Map<ResourceKind, List<List<String>>> below(CollectionStructure collection) {
            var below = new LinkedHashMap<ResourceKind, List<List<String>>>();
            below.put(collection.kind(), List.of(List.of()));
            var resources = switch (collection.kind()) {
                case FILES_BUCKET -> FILES + INDEXES;
                case SCHEMA_STORE -> SCHEMAS;
                default -> DOCUMENTS + INDEXES;
            };
            for (var resource : Words.list(resources)) {
                var pair = resource.split("=", 2);
                below.put(ResourceKind.valueOf(pair[0]), List.of(List.of(pair[1].split("/", -1))));
            }
            if (collection.kind() != ResourceKind.SCHEMA_STORE) {
                below.put(ResourceKind.AGGREGATION, named(collection, "aggrs", "_aggrs"));
                below.put(ResourceKind.CHANGE_STREAM, named(collection, "streams", "_streams"));
            }
            return below;
        }

        private static List<List<String>> named(CollectionStructure collection, String property, String segment) {
            return definitions(collection, property).keySet().stream()
                    .map(uri -> List.of(segment, uri))
                    .toList();
        }

        /// Stored aggregations or streams by name; of equal names, the first applies.
        static Map<String, BsonDocument> definitions(CollectionStructure collection, String property) {
            var definitions = new LinkedHashMap<String, BsonDocument>();
            if (collection.properties().get(property) instanceof BsonArray array) {
                for (BsonValue entry : array) {
                    if (entry instanceof BsonDocument definition
                            && definition.get("uri") instanceof BsonString uri
                            && !uri.getValue().isEmpty()) {
                        definitions.putIfAbsent(uri.getValue(), definition);
                    }
                }
            }
            return definitions;
        }
    }
}
