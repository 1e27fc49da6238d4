package org.restheart.http.access;

import java.util.Optional;
import org.bson.BsonDocument;

/// What the permission that admitted a request grants on data: the `mongo` object of an access rule, its variables
/// already replaced by this request's values. Immutable.
///
/// @param allowAdHocAggregations run pipelines sent by the client
/// @param readFilter ANDed to the filter of every read
/// @param writeFilter ANDed to the filter of every write
/// @param mergeRequest merged into the content of every write
/// @param projectResponse a projection of every read's documents
/// @param checkWritten refuse new content that `writeFilter` does not match
public record Grant(
        boolean allowManagementRequests,
        boolean allowBulkPatch,
        boolean allowBulkDelete,
        boolean allowWriteMode,
        boolean allowAdHocAggregations,
        Optional<BsonDocument> readFilter,
        Optional<BsonDocument> writeFilter,
        Optional<BsonDocument> mergeRequest,
        Optional<BsonDocument> projectResponse,
        boolean checkWritten) {

    /// No restriction at all: root, or an authorizer that attaches no permission. A permission may allow as much on
    /// the paths that it covers, and is equal then, but covers no others: see [#isUnrestricted()].
    public static final Grant FULL = new Grant(
            true,
            true,
            true,
            true,
            true,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            false);

    /// Whether it is that of a caller who may access everything, not of a permission that has no restrictions.
    @SuppressWarnings("ReferenceEquality")
    public boolean isUnrestricted() {
        return this == FULL;
    }

    public Grant withMergeRequest(Optional<BsonDocument> other) {
        return with(other, projectResponse);
    }

    public Grant withProjectResponse(Optional<BsonDocument> other) {
        return with(mergeRequest, other);
    }

    private Grant with(Optional<BsonDocument> merge, Optional<BsonDocument> project) {
        return new Grant(
                allowManagementRequests,
                allowBulkPatch,
                allowBulkDelete,
                allowWriteMode,
                allowAdHocAggregations,
                readFilter,
                writeFilter,
                merge,
                project,
                checkWritten);
    }
}
