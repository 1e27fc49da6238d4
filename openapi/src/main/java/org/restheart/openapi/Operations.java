package org.restheart.openapi;

import static org.restheart.http.Method.DELETE;
import static org.restheart.http.Method.GET;
import static org.restheart.http.Method.PATCH;
import static org.restheart.http.Method.POST;
import static org.restheart.http.Method.PUT;
import static org.restheart.http.access.ResourceKind.*;

import java.util.ArrayList;
import java.util.List;
import org.restheart.http.Method;
import org.restheart.http.access.ResourceKind;

/// The descriptions of methods by kind of resource. Combinations that are not listed are not described.
final class Operations {
    /// The content of a request.
    enum Input {
        NONE,
        DOCUMENTS,
        DOCUMENT,
        CHANGES,
        PROPERTIES,
        INDEX,
        SCHEMA,
        FILE,
        METADATA,
        PIPELINE
    }

    /// The content of a successful response.
    enum Output {
        NONE,
        DOCUMENTS,
        DOCUMENT,
        SIZE,
        NAMES,
        INDEXES,
        PROPERTIES,
        BULK,
        RESULTS,
        EVENTS,
        BYTES,
        STATE
    }

    /// The parameters of a request.
    enum Parameters {
        NONE,
        LIST,
        NAMES,
        ONE,
        COUNT,
        CHECK,
        CREATE,
        WRITE,
        BULK,
        MANAGE,
        RUN,
        LISTEN
    }

    /// One operation.
    ///
    /// @param verb first part of its id
    /// @param suffix last part of its id
    /// @param statuses of success
    record Operation(
            ResourceKind kind,
            Method method,
            String verb,
            String suffix,
            String summary,
            List<Integer> statuses,
            Output output,
            Input input,
            Parameters parameters) {

        boolean writes() {
            return !method.isSafe() && kind != AGGREGATIONS;
        }

        /// Whether requests may have a precondition.
        boolean takesPrecondition() {
            return switch (kind) {
                case DOCUMENT, FILE, SCHEMA, DB, COLLECTION, FILES_BUCKET, SCHEMA_STORE -> writes() && method != POST;
                default -> false;
            };
        }
    }

    private static final List<Operation> ALL = all();

    private Operations() {}

    static List<Operation> of(ResourceKind kind) {
        return ALL.stream().filter(operation -> operation.kind() == kind).toList();
    }

    static List<Operation> list() {
        return ALL;
    }

    private static final class Rows {
        private final List<Operation> rows = new ArrayList<>();

        void add(
                ResourceKind kind,
                Method method,
                String verb,
                String suffix,
                String summary,
                Output output,
                Input input,
                Parameters parameters,
                Integer... statuses) {
            rows.add(new Operation(kind, method, verb, suffix, summary, List.of(statuses), output, input, parameters));
        }
    }

    private static List<Operation> all() {
        var r = new Rows();
        r.add(ROOT, GET, "list", "Databases", "Names of databases", Output.NAMES, Input.NONE, Parameters.NAMES, 200);
        r.add(ROOT_SIZE, GET, "get", "Size", "Number of databases", Output.SIZE, Input.NONE, Parameters.NONE, 200);
        r.add(DB, GET, "list", "Collections", "Names of collections", Output.NAMES, Input.NONE, Parameters.NAMES, 200);
        managed(r, DB, "database", "Database");
        r.add(DB_SIZE, GET, "get", "Size", "Number of collections", Output.SIZE, Input.NONE, Parameters.NONE, 200);
        meta(r, DB_META, "database");
        collection(r, COLLECTION, "collection", "Documents");
        r.add(
                COLLECTION,
                POST,
                "create",
                "",
                "Insert one document or several",
                Output.BULK,
                Input.DOCUMENTS,
                Parameters.CREATE,
                200,
                201);
        one(r, DOCUMENT, "document");
        r.add(
                DOCUMENT,
                PUT,
                "replace",
                "ById",
                "Replace a document",
                Output.NONE,
                Input.DOCUMENT,
                Parameters.WRITE,
                200,
                201);
        r.add(
                DOCUMENT,
                PATCH,
                "update",
                "ById",
                "Change properties of a document",
                Output.NONE,
                Input.CHANGES,
                Parameters.WRITE,
                200,
                201);
        r.add(DOCUMENT, DELETE, "delete", "ById", "Delete a document", Output.NONE, Input.NONE, Parameters.WRITE, 204);
        r.add(
                BULK_DOCUMENTS,
                PATCH,
                "update",
                "Many",
                "Change all documents that match a filter",
                Output.BULK,
                Input.CHANGES,
                Parameters.BULK,
                200);
        r.add(
                BULK_DOCUMENTS,
                DELETE,
                "delete",
                "Many",
                "Delete all documents that match a filter",
                Output.BULK,
                Input.NONE,
                Parameters.BULK,
                200);
        r.add(
                COLLECTION_VIOLATIONS,
                GET,
                "check",
                "Violations",
                "Documents that violate a JSON Schema",
                Output.STATE,
                Input.NONE,
                Parameters.CHECK,
                200);
        validator(r);
        r.add(COLLECTION_INDEXES, GET, "list", "Indexes", "Indexes", Output.INDEXES, Input.NONE, Parameters.NAMES, 200);
        r.add(INDEX, PUT, "create", "Index", "Create an index", Output.NONE, Input.INDEX, Parameters.NONE, 201);
        r.add(INDEX, DELETE, "delete", "Index", "Drop an index", Output.NONE, Input.NONE, Parameters.NONE, 204);
        r.add(
                AGGREGATIONS,
                POST,
                "aggregate",
                "",
                "Run a pipeline",
                Output.RESULTS,
                Input.PIPELINE,
                Parameters.RUN,
                200);
        r.add(
                AGGREGATION,
                GET,
                "run",
                "",
                "Results of a stored aggregation",
                Output.RESULTS,
                Input.NONE,
                Parameters.RUN,
                200);
        r.add(
                CHANGE_STREAM,
                GET,
                "watch",
                "",
                "Changes as they happen, as server-sent events or on a WebSocket",
                Output.EVENTS,
                Input.NONE,
                Parameters.LISTEN,
                101,
                200);
        collection(r, FILES_BUCKET, "bucket", "Metadata of files");
        r.add(FILES_BUCKET, POST, "create", "", "Upload a file", Output.NONE, Input.FILE, Parameters.NONE, 201);
        one(r, FILE, "file's metadata");
        r.add(
                FILE,
                PUT,
                "replace",
                "ById",
                "Upload a file under this id",
                Output.NONE,
                Input.FILE,
                Parameters.WRITE,
                200,
                201);
        r.add(
                FILE,
                PATCH,
                "update",
                "ById",
                "Change a file's metadata",
                Output.NONE,
                Input.METADATA,
                Parameters.WRITE,
                200);
        r.add(FILE, DELETE, "delete", "ById", "Delete a file", Output.NONE, Input.NONE, Parameters.WRITE, 204);
        r.add(
                FILE_BINARY,
                GET,
                "download",
                "ById",
                "A file's content",
                Output.BYTES,
                Input.NONE,
                Parameters.ONE,
                200,
                206,
                304,
                416);
        r.add(
                BULK_FILES,
                DELETE,
                "delete",
                "Many",
                "Delete all files that match a filter",
                Output.BULK,
                Input.NONE,
                Parameters.BULK,
                200);
        collection(r, SCHEMA_STORE, "schema store", "JSON Schemas");
        r.add(
                SCHEMA_STORE,
                POST,
                "create",
                "",
                "Store a JSON Schema",
                Output.NONE,
                Input.SCHEMA,
                Parameters.NONE,
                200,
                201);
        one(r, SCHEMA, "JSON Schema");
        r.add(
                SCHEMA,
                PUT,
                "replace",
                "ById",
                "Store a JSON Schema",
                Output.NONE,
                Input.SCHEMA,
                Parameters.WRITE,
                200,
                201);
        r.add(SCHEMA, DELETE, "delete", "ById", "Delete a JSON Schema", Output.NONE, Input.NONE, Parameters.WRITE, 204);
        r.add(
                BULK_SCHEMAS,
                PATCH,
                "update",
                "Many",
                "Change all schemas that match a filter",
                Output.BULK,
                Input.CHANGES,
                Parameters.BULK,
                200);
        r.add(
                BULK_SCHEMAS,
                DELETE,
                "delete",
                "Many",
                "Delete all schemas that match a filter",
                Output.BULK,
                Input.NONE,
                Parameters.BULK,
                200);
        r.add(SESSIONS, POST, "create", "Session", "Start a session", Output.NONE, Input.NONE, Parameters.NONE, 201);
        r.add(SESSION, DELETE, "delete", "Session", "End a session", Output.NONE, Input.NONE, Parameters.NONE, 204);
        r.add(
                TRANSACTIONS,
                GET,
                "get",
                "Transaction",
                "State of the session's transaction",
                Output.STATE,
                Input.NONE,
                Parameters.NONE,
                200);
        r.add(
                TRANSACTIONS,
                POST,
                "start",
                "Transaction",
                "Start a transaction",
                Output.NONE,
                Input.NONE,
                Parameters.NONE,
                201);
        r.add(
                TRANSACTION,
                PATCH,
                "commit",
                "Transaction",
                "Commit a transaction",
                Output.NONE,
                Input.NONE,
                Parameters.NONE,
                200);
        r.add(
                TRANSACTION,
                DELETE,
                "abort",
                "Transaction",
                "Abort a transaction",
                Output.NONE,
                Input.NONE,
                Parameters.NONE,
                204);
        return List.copyOf(r.rows);
    }

    private static void collection(Rows r, ResourceKind kind, String what, String content) {
        r.add(kind, GET, "list", "", content, Output.DOCUMENTS, Input.NONE, Parameters.LIST, 200);
        managed(r, kind, what, "");
        var size = ResourceKind.valueOf(kind.name() + "_SIZE");
        r.add(
                size,
                GET,
                "get",
                "Size",
                "Number of what matches a filter",
                Output.SIZE,
                Input.NONE,
                Parameters.COUNT,
                200);
        meta(r, ResourceKind.valueOf(kind.name() + "_META"), what);
    }

    private static void validator(Rows r) {
        var kind = COLLECTION_VALIDATOR;
        r.add(
                kind,
                GET,
                "get",
                "Validator",
                "MongoDB's validator that follows the JSON Schema",
                Output.STATE,
                Input.NONE,
                Parameters.NONE,
                200);
        r.add(
                kind,
                PUT,
                "put",
                "Validator",
                "Let MongoDB hold all writers to the JSON Schema",
                Output.STATE,
                Input.PROPERTIES,
                Parameters.NONE,
                200,
                201);
        r.add(
                kind,
                DELETE,
                "delete",
                "Validator",
                "Remove the validator from MongoDB",
                Output.NONE,
                Input.NONE,
                Parameters.NONE,
                204);
    }

    private static void managed(Rows r, ResourceKind kind, String what, String suffix) {
        r.add(
                kind,
                PUT,
                "put",
                suffix,
                "Create the " + what + " or replace its properties",
                Output.NONE,
                Input.PROPERTIES,
                Parameters.MANAGE,
                200,
                201);
        r.add(
                kind,
                PATCH,
                "patch",
                suffix,
                "Change properties of the " + what,
                Output.NONE,
                Input.PROPERTIES,
                Parameters.MANAGE,
                200);
        r.add(kind, DELETE, "drop", suffix, "Drop the " + what, Output.NONE, Input.NONE, Parameters.MANAGE, 204);
    }

    private static void meta(Rows r, ResourceKind kind, String what) {
        r.add(
                kind,
                GET,
                "get",
                "Meta",
                "Properties of the " + what,
                Output.PROPERTIES,
                Input.NONE,
                Parameters.NONE,
                200,
                304);
    }

    private static void one(Rows r, ResourceKind kind, String what) {
        r.add(kind, GET, "get", "ById", "One " + what, Output.DOCUMENT, Input.NONE, Parameters.ONE, 200, 304);
    }
}
