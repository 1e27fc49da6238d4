package org.restheart.data;

/// What is needed beyond plain reading and writing; an access rule allows each by a flag.
public enum Privilege {
    /// Databases, collections, indexes, schemas, metadata.
    MANAGEMENT("allowManagementRequests"),
    BULK_PATCH("allowBulkPatch"),
    BULK_DELETE("allowBulkDelete"),
    /// A pipeline sent by the client.
    AD_HOC_AGGREGATION("allowAdHocAggregations"),
    /// A `wm` or `writeMode` parameter.
    WRITE_MODE("allowWriteMode");

    private final String flag;

    Privilege(String flag) {
        this.flag = flag;
    }

    /// The key in the `mongo` part of a permission that grants it.
    public String flag() {
        return flag;
    }
}
