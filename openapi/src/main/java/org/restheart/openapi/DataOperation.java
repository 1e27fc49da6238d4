package org.restheart.openapi;

import static org.restheart.http.Method.POST;
import static org.restheart.http.access.ResourceKind.AGGREGATIONS;

import java.util.List;
import org.restheart.data.Operation;
import org.restheart.http.Method;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.parameter.OperationTable;

/// One operation of the data API: a method of a kind of resource. Immutable.
///
/// @param verb the first part of its id
/// @param suffix the last part of its id
/// @param statuses the statuses of success
record DataOperation(
        ResourceKind kind,
        Method method,
        String verb,
        String suffix,
        String summary,
        List<Integer> statuses,
        Output output,
        Input input) {

    /// Which parameters its requests may have.
    Operation use() {
        return OperationTable.of(kind, method);
    }

    /// Whether it changes data.
    boolean writes() {
        return !method.isSafe() && kind != AGGREGATIONS;
    }

    boolean takesPrecondition() {
        return switch (kind) {
            case DOCUMENT, FILE, SCHEMA, DB, COLLECTION, FILES_BUCKET, SCHEMA_STORE -> writes() && method != POST;
            default -> false;
        };
    }

    /// Whether `If-None-Match` is a precondition (RFC 9110, 13.1.2).
    boolean takesAbsence() {
        return (kind == ResourceKind.DOCUMENT || kind == ResourceKind.FILE) && takesPrecondition();
    }

    /// Whether requests may be repeated with the same `Idempotency-Key`.
    boolean takesIdempotencyKey() {
        return kind == ResourceKind.COLLECTION && input == Input.DOCUMENTS;
    }

    /// Whether the request can be a rehearsal, and the response have the written document, for clients that prefer it
    /// (RFC 7240).
    boolean takesPreference() {
        return takesIdempotencyKey() || (kind == ResourceKind.DOCUMENT && writes());
    }

    /// Whether a client can bound how many documents it changes.
    boolean takesBound() {
        return kind == ResourceKind.BULK_DOCUMENTS;
    }

    /// The content of a request.
    enum Input {
        NONE,
        DOCUMENTS,
        DOCUMENT,
        CHANGES,
        PROPERTIES,
        VALIDATOR,
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
}
