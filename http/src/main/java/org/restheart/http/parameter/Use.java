package org.restheart.http.parameter;

import org.restheart.http.Method;
import org.restheart.http.access.ResourceKind;

/// What a request of the data API does with documents, as far as that decides which parameters apply to it.
public enum Use {
    LIST("a list of documents"),
    NAMES("a list of names"),
    ONE("one document"),
    COUNT("a count"),
    CHECK("a check of documents"),
    CREATE("an insert"),
    WRITE("a write of one document"),
    CHANGE("a change of one document"),
    BULK("many documents"),
    CHANGE_MANY("many documents"),
    MANAGE("a database or collection"),
    RUN("an aggregation; values for its stages are passed in avars"),
    LISTEN("a change stream; values for its stages are passed in avars"),
    OTHER("this resource");

    private final String object;

    Use(String object) {
        this.object = object;
    }

    public static Use of(ResourceKind kind, Method method) {
        boolean reads = method.isSafe();
        boolean posts = method == Method.POST;
        return switch (kind) {
            case ROOT, DB, COLLECTION_INDEXES -> reads ? NAMES : posts ? OTHER : MANAGE;
            case COLLECTION, SCHEMA_STORE -> reads ? LIST : posts ? CREATE : MANAGE;
            case FILES_BUCKET -> reads ? LIST : posts ? OTHER : MANAGE;
            case COLLECTION_SIZE, FILES_BUCKET_SIZE, SCHEMA_STORE_SIZE -> reads ? COUNT : OTHER;
            case COLLECTION_VIOLATIONS -> reads ? CHECK : OTHER;
            case DOCUMENT, FILE, FILE_BINARY, SCHEMA ->
                reads ? ONE : method == Method.PATCH ? CHANGE : posts ? OTHER : WRITE;
            case BULK_DOCUMENTS, BULK_FILES, BULK_SCHEMAS ->
                method == Method.PATCH ? CHANGE_MANY : method == Method.DELETE ? BULK : OTHER;
            case AGGREGATIONS -> posts ? RUN : OTHER;
            case AGGREGATION -> reads ? RUN : OTHER;
            case CHANGE_STREAM -> reads ? LISTEN : OTHER;
            case ROOT_SIZE,
                    DB_SIZE,
                    DB_META,
                    COLLECTION_META,
                    COLLECTION_VALIDATOR,
                    INDEX,
                    FILES_BUCKET_META,
                    SCHEMA_STORE_META,
                    SESSIONS,
                    SESSION,
                    TRANSACTIONS,
                    TRANSACTION,
                    INVALID -> OTHER;
        };
    }

    /// What it is about, for messages.
    public String object() {
        return object;
    }
}
