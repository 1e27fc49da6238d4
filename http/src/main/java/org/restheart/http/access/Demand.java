package org.restheart.http.access;

/// What a data request does beyond plain reading and writing; an access rule grants each by a flag of its own.
public enum Demand {
    /// Databases, collections, indexes, schemas, metadata.
    MANAGEMENT,
    BULK_PATCH,
    BULK_DELETE,
    /// A pipeline that the client gives.
    AD_HOC_AGGREGATION,
    /// A `wm` or `writeMode` parameter.
    WRITE_MODE
}
