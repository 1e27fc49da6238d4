package org.restheart.mcp;

/// The implementations of tools. Thread-safe.
record ToolHandlers(
        CatalogTools catalogs, ReadTools reads, ExplainTool explains, WatchTool watches, WriteTools writes) {
    /// @throws RefusedCall if a bound of the configuration or MongoDB does not allow it
    /// @throws org.restheart.http.ProblemException if the judged request is refused
    ToolResult run(ToolCall call) {
        return switch (call.tool()) {
            case LIST_DATABASES -> catalogs.listDatabases(call);
            case LIST_COLLECTIONS -> catalogs.listCollections(call);
            case COLLECTION_SCHEMA -> catalogs.schema(call);
            case COLLECTION_INDEXES -> catalogs.indexes(call);
            case FIND -> reads.find(call);
            case COUNT -> reads.count(call);
            case AGGREGATE -> reads.aggregate(call);
            case RUN_AGGREGATION -> reads.runAggregation(call);
            case EXPLAIN -> explains.explain(call);
            case WATCH -> watches.watch(call);
            case INSERT_MANY -> writes.insertMany(call);
            case UPDATE_MANY -> writes.updateMany(call);
            case DELETE_MANY -> writes.deleteMany(call);
            case UPDATE_DOCUMENT -> writes.updateDocument(call);
        };
    }
}
