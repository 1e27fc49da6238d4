package org.restheart.http.access;

/// Operations beyond plain reads and writes; an access rule grants each by its own flag.
public enum Demand {
    /// Databases, collections, indexes, schemas, metadata.
    MANAGEMENT,
    BULK_PATCH,
    BULK_DELETE,
    /// A pipeline sent by the client.
    AD_HOC_AGGREGATION,
    /// A `wm` or `writeMode` parameter.
    WRITE_MODE
}
