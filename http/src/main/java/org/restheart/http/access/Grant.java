package org.restheart.http.access;

import java.util.Optional;
import org.bson.BsonDocument;

/// What the permission that admitted a request grants on data: the `mongo` object of an access rule, its variables
/// already replaced by this request's values. Immutable.
///
/// @param allowManagementRequests whether databases, collections, indexes and their properties may be read and changed
/// @param allowBulkPatch whether many documents may be changed by one request
/// @param allowBulkDelete whether many documents may be deleted by one request
/// @param allowWriteMode whether the parameter `writeMode` is allowed
/// @param allowAdHocAggregations whether pipelines sent by the client are run
/// @param readFilter ANDed with the filter of every read
/// @param writeFilter ANDed with the filter of every write
/// @param mergeRequest fields merged into the content of every write, in place of those that the client sends
/// @param projectResponse the projection of all documents in responses
/// @param checkWritten whether new content that `writeFilter` does not match is refused
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

    /// No restriction: the grant of the root role, and of authorizers without permissions. A permission
    /// without restrictions equals it but is another object, since it allows nothing on paths that it does
    /// not cover: see [#isUnrestricted()].
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

    /// Allows nothing, whatever other authorizers would: the decision about credentials with fewer roles than their
    /// account, where another role of the account decides.
    public static final Grant REFUSED = new Grant(
            false,
            false,
            false,
            false,
            false,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            true);

    /// Whether this is [#REFUSED] itself.
    @SuppressWarnings("ReferenceEquality")
    public boolean isRefused() {
        return this == REFUSED;
    }

    /// Whether it certainly allows all that another one does.
    public boolean covers(Grant other) {
        return showsAll()
                && writeFilter.isEmpty()
                && mergeRequest.isEmpty()
                && (allowManagementRequests || !other.allowManagementRequests)
                && (allowBulkPatch || !other.allowBulkPatch)
                && (allowBulkDelete || !other.allowBulkDelete)
                && (allowWriteMode || !other.allowWriteMode)
                && (allowAdHocAggregations || !other.allowAdHocAggregations);
    }

    /// Whether this is [#FULL] itself, so that the caller may access everything; false for a permission
    /// without restrictions.
    @SuppressWarnings("ReferenceEquality")
    public boolean isUnrestricted() {
        return this == FULL;
    }

    /// Whether the caller sees all fields of all documents.
    public boolean showsAll() {
        return readFilter.isEmpty() && projectResponse.isEmpty();
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
