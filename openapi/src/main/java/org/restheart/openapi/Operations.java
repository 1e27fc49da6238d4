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
import org.restheart.openapi.DataOperation.Input;
import org.restheart.openapi.DataOperation.Output;
import org.restheart.openapi.DataOperation.Parameters;

/// The operations of the data API by kind of resource. Combinations that are not listed are not described.
final class Operations {
    private static final List<DataOperation> ALL = all();

    private Operations() {}

    static List<DataOperation> of(ResourceKind kind) {
        return ALL.stream().filter(operation -> operation.kind() == kind).toList();
    }

    private static List<DataOperation> all() {
        var all = new ArrayList<DataOperation>();
        databases(all);
        collections(all);
        queries(all);
        files(all);
        schemas(all);
        sessions(all);
        return List.copyOf(all);
    }

    /// @param statuses of success
    private static DataOperation operation(
            ResourceKind kind, Method method, String verb, String suffix, String summary, Integer... statuses) {
        return new DataOperation(
                kind, method, verb, suffix, summary, List.of(statuses), Output.NONE, Input.NONE, Parameters.NONE);
    }

    private static void databases(List<DataOperation> all) {
        all.add(operation(ROOT, GET, "list", "Databases", "Names of databases", 200)
                .parameters(Parameters.NAMES)
                .returns(Output.NAMES));
        all.add(operation(ROOT_SIZE, GET, "get", "Size", "Number of databases", 200)
                .returns(Output.SIZE));
        all.add(operation(DB, GET, "list", "Collections", "Names of collections", 200)
                .parameters(Parameters.NAMES)
                .returns(Output.NAMES));
        managed(all, DB, "database", "Database");
        all.add(operation(DB_SIZE, GET, "get", "Size", "Number of collections", 200)
                .returns(Output.SIZE));
        meta(all, DB_META, "database");
    }

    private static void collections(List<DataOperation> all) {
        collection(all, COLLECTION, "collection", "Documents");
        all.add(operation(COLLECTION, POST, "create", "", "Insert one document or several", 200, 201, 207)
                .takes(Input.DOCUMENTS)
                .parameters(Parameters.CREATE)
                .returns(Output.BULK));
        one(all, DOCUMENT, "document");
        all.add(operation(DOCUMENT, PUT, "replace", "ById", "Replace a document", 200, 201)
                .takes(Input.DOCUMENT)
                .parameters(Parameters.WRITE));
        all.add(operation(DOCUMENT, PATCH, "update", "ById", "Change properties of a document", 200, 201)
                .takes(Input.CHANGES)
                .parameters(Parameters.WRITE));
        all.add(operation(DOCUMENT, DELETE, "delete", "ById", "Delete a document", 204)
                .parameters(Parameters.WRITE));
        all.add(operation(BULK_DOCUMENTS, PATCH, "update", "Many", "Change all documents that match a filter", 200, 207)
                .takes(Input.CHANGES)
                .parameters(Parameters.BULK)
                .returns(Output.BULK));
        all.add(operation(
                        BULK_DOCUMENTS, DELETE, "delete", "Many", "Delete all documents that match a filter", 200, 207)
                .parameters(Parameters.BULK)
                .returns(Output.BULK));
        all.add(operation(
                        COLLECTION_VIOLATIONS, GET, "check", "Violations", "Documents that violate a JSON Schema", 200)
                .parameters(Parameters.CHECK)
                .returns(Output.STATE));
        validator(all);
        all.add(operation(COLLECTION_INDEXES, GET, "list", "Indexes", "Indexes", 200)
                .parameters(Parameters.NAMES)
                .returns(Output.INDEXES));
        all.add(operation(INDEX, PUT, "create", "Index", "Create an index", 201).takes(Input.INDEX));
        all.add(operation(INDEX, DELETE, "delete", "Index", "Drop an index", 204));
    }

    private static void queries(List<DataOperation> all) {
        all.add(operation(AGGREGATIONS, POST, "aggregate", "", "Run a pipeline", 200)
                .takes(Input.PIPELINE)
                .parameters(Parameters.RUN)
                .returns(Output.RESULTS));
        all.add(operation(AGGREGATION, GET, "run", "", "Results of a stored aggregation", 200)
                .parameters(Parameters.RUN)
                .returns(Output.RESULTS));
        all.add(operation(
                        CHANGE_STREAM,
                        GET,
                        "watch",
                        "",
                        "Changes as they happen, as server-sent events or on a WebSocket",
                        101,
                        200)
                .parameters(Parameters.LISTEN)
                .returns(Output.EVENTS));
    }

    private static void files(List<DataOperation> all) {
        collection(all, FILES_BUCKET, "bucket", "Metadata of files");
        all.add(operation(FILES_BUCKET, POST, "create", "", "Upload a file", 201)
                .takes(Input.FILE));
        one(all, FILE, "file's metadata");
        all.add(operation(FILE, PUT, "replace", "ById", "Upload a file under this id", 200, 201)
                .takes(Input.FILE)
                .parameters(Parameters.WRITE));
        all.add(operation(FILE, PATCH, "update", "ById", "Change a file's metadata", 200)
                .takes(Input.METADATA)
                .parameters(Parameters.WRITE));
        all.add(operation(FILE, DELETE, "delete", "ById", "Delete a file", 204).parameters(Parameters.WRITE));
        all.add(operation(FILE_BINARY, GET, "download", "ById", "A file's content", 200, 206, 304, 416)
                .parameters(Parameters.ONE)
                .returns(Output.BYTES));
        all.add(operation(BULK_FILES, DELETE, "delete", "Many", "Delete all files that match a filter", 200)
                .parameters(Parameters.BULK)
                .returns(Output.BULK));
    }

    private static void schemas(List<DataOperation> all) {
        collection(all, SCHEMA_STORE, "schema store", "JSON Schemas");
        all.add(operation(SCHEMA_STORE, POST, "create", "", "Store a JSON Schema", 200, 201)
                .takes(Input.SCHEMA));
        one(all, SCHEMA, "JSON Schema");
        all.add(operation(SCHEMA, PUT, "replace", "ById", "Store a JSON Schema", 200, 201)
                .takes(Input.SCHEMA)
                .parameters(Parameters.WRITE));
        all.add(operation(SCHEMA, DELETE, "delete", "ById", "Delete a JSON Schema", 204)
                .parameters(Parameters.WRITE));
        all.add(operation(BULK_SCHEMAS, PATCH, "update", "Many", "Change all schemas that match a filter", 200)
                .takes(Input.CHANGES)
                .parameters(Parameters.BULK)
                .returns(Output.BULK));
        all.add(operation(BULK_SCHEMAS, DELETE, "delete", "Many", "Delete all schemas that match a filter", 200)
                .parameters(Parameters.BULK)
                .returns(Output.BULK));
    }

    private static void sessions(List<DataOperation> all) {
        all.add(operation(SESSIONS, POST, "create", "Session", "Start a session", 201));
        all.add(operation(SESSION, DELETE, "delete", "Session", "End a session", 204));
        all.add(operation(TRANSACTIONS, GET, "get", "Transaction", "State of the session's transaction", 200)
                .returns(Output.STATE));
        all.add(operation(TRANSACTIONS, POST, "start", "Transaction", "Start a transaction", 201));
        all.add(operation(TRANSACTION, PATCH, "commit", "Transaction", "Commit a transaction", 200));
        all.add(operation(TRANSACTION, DELETE, "abort", "Transaction", "Abort a transaction", 204));
    }

    private static void collection(List<DataOperation> all, ResourceKind kind, String what, String content) {
        all.add(operation(kind, GET, "list", "", content, 200)
                .parameters(Parameters.LIST)
                .returns(Output.DOCUMENTS));
        managed(all, kind, what, "");
        var size = ResourceKind.valueOf(kind.name() + "_SIZE");
        all.add(operation(size, GET, "get", "Size", "Number of what matches a filter", 200)
                .parameters(Parameters.COUNT)
                .returns(Output.SIZE));
        meta(all, ResourceKind.valueOf(kind.name() + "_META"), what);
    }

    private static void validator(List<DataOperation> all) {
        var kind = COLLECTION_VALIDATOR;
        all.add(operation(kind, GET, "get", "Validator", "MongoDB's validator that follows the JSON Schema", 200)
                .returns(Output.STATE));
        all.add(operation(kind, PUT, "put", "Validator", "Let MongoDB hold all writers to the JSON Schema", 200, 201)
                .takes(Input.VALIDATOR)
                .returns(Output.STATE));
        all.add(operation(kind, DELETE, "delete", "Validator", "Remove the validator from MongoDB", 204));
    }

    private static void managed(List<DataOperation> all, ResourceKind kind, String what, String suffix) {
        all.add(operation(kind, PUT, "put", suffix, "Create the " + what + " or replace its properties", 200, 201)
                .takes(Input.PROPERTIES)
                .parameters(Parameters.MANAGE));
        all.add(operation(kind, PATCH, "patch", suffix, "Change properties of the " + what, 200)
                .takes(Input.PROPERTIES)
                .parameters(Parameters.MANAGE));
        all.add(operation(kind, DELETE, "drop", suffix, "Drop the " + what, 204).parameters(Parameters.MANAGE));
    }

    private static void meta(List<DataOperation> all, ResourceKind kind, String what) {
        all.add(operation(kind, GET, "get", "Meta", "Properties of the " + what, 200, 304)
                .returns(Output.PROPERTIES));
    }

    private static void one(List<DataOperation> all, ResourceKind kind, String what) {
        all.add(operation(kind, GET, "get", "ById", "One " + what, 200, 304)
                .parameters(Parameters.ONE)
                .returns(Output.DOCUMENT));
    }
}
