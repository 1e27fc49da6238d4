package org.restheart.http.access;

/// Operations beyond plain reads and writes, each of which an access rule allows by a flag.
public enum Demand {
    /// Databases, collections, indexes, schemas, metadata.
    MANAGEMENT("allowManagementRequests"),
    BULK_PATCH("allowBulkPatch"),
    BULK_DELETE("allowBulkDelete"),
    /// A pipeline sent by the client.
    AD_HOC_AGGREGATION("allowAdHocAggregations"),
    /// A `wm` or `writeMode` parameter.
    WRITE_MODE("allowWriteMode");

    private final String flag;

    Demand(String flag) {
        this.flag = flag;
    }

    /// The key in the `mongo` part of a permission that grants it.
    public String flag() {
        return flag;
    }
}
