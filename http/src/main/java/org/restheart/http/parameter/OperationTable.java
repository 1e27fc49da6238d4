package org.restheart.http.parameter;

import org.restheart.data.Operation;
import org.restheart.data.Operation.Other;
import org.restheart.data.Operation.Read;
import org.restheart.data.Operation.Structure;
import org.restheart.data.Operation.Write;
import org.restheart.http.Method;
import org.restheart.http.access.ResourceKind;

/// What the requests of the data API do, by their kind of resource and method: the methods of a resource are those for
/// which there is an operation.
public final class OperationTable {
    private OperationTable() {}

    public static Operation of(ResourceKind kind, Method method) {
        return switch (kind) {
            case ROOT, COLLECTION_INDEXES -> reading(method, Read.LIST);
            case DB -> reads(method) ? Read.LIST : ofWhole(method);
            case COLLECTION, SCHEMA_STORE ->
                reads(method) ? Read.FIND : method == Method.POST ? Write.INSERT : ofWhole(method);
            case FILES_BUCKET -> reads(method) ? Read.FIND : method == Method.POST ? Write.UPLOAD : ofWhole(method);
            case COLLECTION_SIZE, FILES_BUCKET_SIZE, SCHEMA_STORE_SIZE -> reading(method, Read.COUNT);
            case COLLECTION_VIOLATIONS -> reading(method, Read.CHECK);
            case DOCUMENT, FILE ->
                reads(method) ? Read.GET : writing(method, Write.REPLACE, Write.UPDATE, Write.DELETE);
            case SCHEMA -> reads(method) ? Read.GET : writing(method, Write.REPLACE, Other.NONE, Write.DELETE);
            case FILE_BINARY -> reading(method, Read.GET);
            case BULK_DOCUMENTS, BULK_SCHEMAS -> writing(method, Other.NONE, Write.UPDATE_MANY, Write.DELETE_MANY);
            case BULK_FILES -> writing(method, Other.NONE, Other.NONE, Write.DELETE_MANY);
            case AGGREGATIONS -> method == Method.POST ? Read.AGGREGATE : Other.NONE;
            case AGGREGATION -> reading(method, Read.RUN);
            case CHANGE_STREAM -> reading(method, Read.WATCH);
            case INDEX -> writing(method, Structure.CREATE_INDEX, Other.NONE, Structure.DROP_INDEX);
            case COLLECTION_VALIDATOR ->
                reads(method)
                        ? Read.DESCRIBE
                        : writing(method, Structure.SET_VALIDATOR, Other.NONE, Structure.DROP_VALIDATOR);
            case ROOT_SIZE, DB_SIZE, DB_META, COLLECTION_META, FILES_BUCKET_META, SCHEMA_STORE_META ->
                reading(method, Read.DESCRIBE);
            case SESSIONS -> method == Method.POST ? Other.BEGIN : Other.NONE;
            case SESSION -> writing(method, Other.NONE, Other.NONE, Other.END);
            case TRANSACTIONS -> method == Method.POST ? Other.BEGIN : reading(method, Read.DESCRIBE);
            case TRANSACTION -> writing(method, Other.NONE, Other.COMMIT, Other.END);
            case INVALID -> Other.NONE;
        };
    }

    private static boolean reads(Method method) {
        return method == Method.GET || method == Method.HEAD;
    }

    private static Operation reading(Method method, Operation read) {
        return reads(method) ? read : Other.NONE;
    }

    private static Operation ofWhole(Method method) {
        return writing(method, Structure.CREATE, Structure.ALTER, Structure.DROP);
    }

    private static Operation writing(Method method, Operation put, Operation patch, Operation delete) {
        return switch (method) {
            case PUT -> put;
            case PATCH -> patch;
            case DELETE -> delete;
            case GET, HEAD, POST, OPTIONS -> Other.NONE;
        };
    }
}
