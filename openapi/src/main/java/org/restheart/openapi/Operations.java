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

    static List<DataOperation> list() {
        return ALL;
    }

    /// Collects operations in their order.
    private static final class Rows {
        private final List<Row> rows = new ArrayList<>();

        /// @param statuses of success
        Row add(ResourceKind kind, Method method, String verb, String suffix, String summary, Integer... statuses) {
            var row = new Row(kind, method, verb, suffix, summary, List.of(statuses));
            rows.add(row);
            return row;
        }

        List<DataOperation> operations() {
            return rows.stream().map(Row::operation).toList();
        }
    }

    /// An operation whose content and parameters are set afterwards; without any by default.
    private static final class Row {
        private DataOperation operation;

        Row(ResourceKind kind, Method method, String verb, String suffix, String summary, List<Integer> statuses) {
            operation = new DataOperation(
                    kind, method, verb, suffix, summary, statuses, Output.NONE, Input.NONE, Parameters.NONE);
        }

        DataOperation operation() {
            return operation;
        }

        Row takes(Input input) {
            operation = operation.with(operation.output(), input, operation.parameters());
            return this;
        }

        Row parameters(Parameters parameters) {
            operation = operation.with(operation.output(), operation.input(), parameters);
            return this;
        }

        Row returns(Output output) {
            operation = operation.with(output, operation.input(), operation.parameters());
            return this;
        }
    }

    private static List<DataOperation> all() {
        var r = new Rows();
        databases(r);
        collections(r);
        queries(r);
        files(r);
        schemas(r);
        sessions(r);
        return r.operations();
    }

    private static void databases(Rows r) {
        r.add(ROOT, GET, "list", "Databases", "Names of databases", 200)
                .parameters(Parameters.NAMES)
                .returns(Output.NAMES);
        r.add(ROOT_SIZE, GET, "get", "Size", "Number of databases", 200).returns(Output.SIZE);
        r.add(DB, GET, "list", "Collections", "Names of collections", 200)
                .parameters(Parameters.NAMES)
                .returns(Output.NAMES);
        managed(r, DB, "database", "Database");
        r.add(DB_SIZE, GET, "get", "Size", "Number of collections", 200).returns(Output.SIZE);
        meta(r, DB_META, "database");
    }

    private static void collections(Rows r) {
        collection(r, COLLECTION, "collection", "Documents");
        r.add(COLLECTION, POST, "create", "", "Insert one document or several", 200, 201, 207)
                .takes(Input.DOCUMENTS)
                .parameters(Parameters.CREATE)
                .returns(Output.BULK);
        one(r, DOCUMENT, "document");
        r.add(DOCUMENT, PUT, "replace", "ById", "Replace a document", 200, 201)
                .takes(Input.DOCUMENT)
                .parameters(Parameters.WRITE);
        r.add(DOCUMENT, PATCH, "update", "ById", "Change properties of a document", 200, 201)
                .takes(Input.CHANGES)
                .parameters(Parameters.WRITE);
        r.add(DOCUMENT, DELETE, "delete", "ById", "Delete a document", 204).parameters(Parameters.WRITE);
        r.add(BULK_DOCUMENTS, PATCH, "update", "Many", "Change all documents that match a filter", 200, 207)
                .takes(Input.CHANGES)
                .parameters(Parameters.BULK)
                .returns(Output.BULK);
        r.add(BULK_DOCUMENTS, DELETE, "delete", "Many", "Delete all documents that match a filter", 200, 207)
                .parameters(Parameters.BULK)
                .returns(Output.BULK);
        r.add(COLLECTION_VIOLATIONS, GET, "check", "Violations", "Documents that violate a JSON Schema", 200)
                .parameters(Parameters.CHECK)
                .returns(Output.STATE);
        validator(r);
        r.add(COLLECTION_INDEXES, GET, "list", "Indexes", "Indexes", 200)
                .parameters(Parameters.NAMES)
                .returns(Output.INDEXES);
        r.add(INDEX, PUT, "create", "Index", "Create an index", 201).takes(Input.INDEX);
        r.add(INDEX, DELETE, "delete", "Index", "Drop an index", 204);
    }

    private static void queries(Rows r) {
        r.add(AGGREGATIONS, POST, "aggregate", "", "Run a pipeline", 200)
                .takes(Input.PIPELINE)
                .parameters(Parameters.RUN)
                .returns(Output.RESULTS);
        r.add(AGGREGATION, GET, "run", "", "Results of a stored aggregation", 200)
                .parameters(Parameters.RUN)
                .returns(Output.RESULTS);
        r.add(
                        CHANGE_STREAM,
                        GET,
                        "watch",
                        "",
                        "Changes as they happen, as server-sent events or on a WebSocket",
                        101,
                        200)
                .parameters(Parameters.LISTEN)
                .returns(Output.EVENTS);
    }

    private static void files(Rows r) {
        collection(r, FILES_BUCKET, "bucket", "Metadata of files");
        r.add(FILES_BUCKET, POST, "create", "", "Upload a file", 201).takes(Input.FILE);
        one(r, FILE, "file's metadata");
        r.add(FILE, PUT, "replace", "ById", "Upload a file under this id", 200, 201)
                .takes(Input.FILE)
                .parameters(Parameters.WRITE);
        r.add(FILE, PATCH, "update", "ById", "Change a file's metadata", 200)
                .takes(Input.METADATA)
                .parameters(Parameters.WRITE);
        r.add(FILE, DELETE, "delete", "ById", "Delete a file", 204).parameters(Parameters.WRITE);
        r.add(FILE_BINARY, GET, "download", "ById", "A file's content", 200, 206, 304, 416)
                .parameters(Parameters.ONE)
                .returns(Output.BYTES);
        r.add(BULK_FILES, DELETE, "delete", "Many", "Delete all files that match a filter", 200)
                .parameters(Parameters.BULK)
                .returns(Output.BULK);
    }

    private static void schemas(Rows r) {
        collection(r, SCHEMA_STORE, "schema store", "JSON Schemas");
        r.add(SCHEMA_STORE, POST, "create", "", "Store a JSON Schema", 200, 201).takes(Input.SCHEMA);
        one(r, SCHEMA, "JSON Schema");
        r.add(SCHEMA, PUT, "replace", "ById", "Store a JSON Schema", 200, 201)
                .takes(Input.SCHEMA)
                .parameters(Parameters.WRITE);
        r.add(SCHEMA, DELETE, "delete", "ById", "Delete a JSON Schema", 204).parameters(Parameters.WRITE);
        r.add(BULK_SCHEMAS, PATCH, "update", "Many", "Change all schemas that match a filter", 200)
                .takes(Input.CHANGES)
                .parameters(Parameters.BULK)
                .returns(Output.BULK);
        r.add(BULK_SCHEMAS, DELETE, "delete", "Many", "Delete all schemas that match a filter", 200)
                .parameters(Parameters.BULK)
                .returns(Output.BULK);
    }

    private static void sessions(Rows r) {
        r.add(SESSIONS, POST, "create", "Session", "Start a session", 201);
        r.add(SESSION, DELETE, "delete", "Session", "End a session", 204);
        r.add(TRANSACTIONS, GET, "get", "Transaction", "State of the session's transaction", 200)
                .returns(Output.STATE);
        r.add(TRANSACTIONS, POST, "start", "Transaction", "Start a transaction", 201);
        r.add(TRANSACTION, PATCH, "commit", "Transaction", "Commit a transaction", 200);
        r.add(TRANSACTION, DELETE, "abort", "Transaction", "Abort a transaction", 204);
    }

    private static void collection(Rows r, ResourceKind kind, String what, String content) {
        r.add(kind, GET, "list", "", content, 200).parameters(Parameters.LIST).returns(Output.DOCUMENTS);
        managed(r, kind, what, "");
        var size = ResourceKind.valueOf(kind.name() + "_SIZE");
        r.add(size, GET, "get", "Size", "Number of what matches a filter", 200)
                .parameters(Parameters.COUNT)
                .returns(Output.SIZE);
        meta(r, ResourceKind.valueOf(kind.name() + "_META"), what);
    }

    private static void validator(Rows r) {
        var kind = COLLECTION_VALIDATOR;
        r.add(kind, GET, "get", "Validator", "MongoDB's validator that follows the JSON Schema", 200)
                .returns(Output.STATE);
        r.add(kind, PUT, "put", "Validator", "Let MongoDB hold all writers to the JSON Schema", 200, 201)
                .takes(Input.VALIDATOR)
                .returns(Output.STATE);
        r.add(kind, DELETE, "delete", "Validator", "Remove the validator from MongoDB", 204);
    }

    private static void managed(Rows r, ResourceKind kind, String what, String suffix) {
        r.add(kind, PUT, "put", suffix, "Create the " + what + " or replace its properties", 200, 201)
                .takes(Input.PROPERTIES)
                .parameters(Parameters.MANAGE);
        r.add(kind, PATCH, "patch", suffix, "Change properties of the " + what, 200)
                .takes(Input.PROPERTIES)
                .parameters(Parameters.MANAGE);
        r.add(kind, DELETE, "drop", suffix, "Drop the " + what, 204).parameters(Parameters.MANAGE);
    }

    private static void meta(Rows r, ResourceKind kind, String what) {
        r.add(kind, GET, "get", "Meta", "Properties of the " + what, 200, 304).returns(Output.PROPERTIES);
    }

    private static void one(Rows r, ResourceKind kind, String what) {
        r.add(kind, GET, "get", "ById", "One " + what, 200, 304)
                .parameters(Parameters.ONE)
                .returns(Output.DOCUMENT);
    }
}
