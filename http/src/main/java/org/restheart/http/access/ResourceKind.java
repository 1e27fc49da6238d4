package org.restheart.http.access;

/// The kind of resource that the path of a data request names. Access rules see the name as
/// `@request.resourceType`.
public enum ResourceKind {
    ROOT,
    ROOT_SIZE,
    DB,
    DB_SIZE,
    DB_META,
    COLLECTION,
    COLLECTION_SIZE,
    COLLECTION_META,
    /// Documents that violate a JSON Schema.
    COLLECTION_VIOLATIONS,
    /// The validator in MongoDB that is made from the collection's JSON Schema.
    COLLECTION_VALIDATOR,
    DOCUMENT,
    BULK_DOCUMENTS,
    COLLECTION_INDEXES,
    INDEX,
    /// A pipeline sent by the client.
    AGGREGATIONS,
    AGGREGATION,
    CHANGE_STREAM,
    FILES_BUCKET,
    FILES_BUCKET_SIZE,
    FILES_BUCKET_META,
    FILE,
    FILE_BINARY,
    BULK_FILES,
    SCHEMA_STORE,
    SCHEMA_STORE_SIZE,
    SCHEMA_STORE_META,
    SCHEMA,
    BULK_SCHEMAS,
    SESSIONS,
    SESSION,
    TRANSACTIONS,
    TRANSACTION,
    /// A path with the name of a special resource in a place where there is none.
    INVALID;

    /// Whether it is a collection of any kind: also a bucket of files, or a store of schemas.
    public boolean isCollection() {
        return this == COLLECTION || this == FILES_BUCKET || this == SCHEMA_STORE;
    }

    public boolean isBulk() {
        return this == BULK_DOCUMENTS || this == BULK_FILES || this == BULK_SCHEMAS;
    }

    public boolean hasId() {
        return this == DOCUMENT || this == FILE || this == FILE_BINARY || this == SCHEMA;
    }

    public boolean isFiles() {
        return switch (this) {
            case FILES_BUCKET, FILES_BUCKET_SIZE, FILES_BUCKET_META, FILE, FILE_BINARY, BULK_FILES -> true;
            default -> false;
        };
    }

    public boolean isSchemas() {
        return switch (this) {
            case SCHEMA_STORE, SCHEMA_STORE_SIZE, SCHEMA_STORE_META, SCHEMA, BULK_SCHEMAS -> true;
            default -> false;
        };
    }

    /// Whether requests for it read or write documents, so that they may take part in a session.
    public boolean holdsDocuments() {
        return switch (this) {
            case COLLECTION, COLLECTION_SIZE, COLLECTION_VIOLATIONS, DOCUMENT, BULK_DOCUMENTS, AGGREGATION -> true;
            case SCHEMA_STORE, SCHEMA_STORE_SIZE, SCHEMA, BULK_SCHEMAS -> true;
            case FILES_BUCKET, FILES_BUCKET_SIZE, FILE -> true;
            default -> false;
        };
    }
}
