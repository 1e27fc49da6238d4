package org.restheart.http.access;

import java.util.Optional;
import java.util.Set;
import org.bson.BsonDocument;

/// What the permission that admitted a request grants on data: the `mongo` object of an access rule, its variables
/// already replaced by this request's values. Immutable.
///
/// @param allowed the operations beyond plain reads and writes that it allows
/// @param readFilter ANDed with the filter of every read
/// @param writeFilter ANDed with the filter of every write
/// @param mergeRequest fields merged into the content of every write, in place of those that the client sends
/// @param projectResponse the projection of all documents in responses
/// @param checkWritten whether new content that `writeFilter` does not match is refused
public record Grant(
        Set<Demand> allowed,
        Optional<BsonDocument> readFilter,
        Optional<BsonDocument> writeFilter,
        Optional<BsonDocument> mergeRequest,
        Optional<BsonDocument> projectResponse,
        boolean checkWritten) {
    /// No restriction: the grant of the root role, and of authorizers without permissions. A permission
    /// without restrictions equals it but is another object, since it allows nothing on paths that it does
    /// not cover: see [#isUnrestricted()].
    public static final Grant FULL = new Grant(Set.of(Demand.values()));

    /// Allows nothing, whatever other authorizers would: the decision about credentials with fewer roles than their
    /// account, where another role of the account decides. Nothing can be made of it that allows more.
    public static final Grant REFUSED = new Grant(Set.of());

    public Grant {
        allowed = Set.copyOf(allowed);
    }

    /// A grant on all documents.
    public Grant(Set<Demand> allowed) {
        this(allowed, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), false);
    }

    public boolean allows(Demand demand) {
        return allowed.contains(demand);
    }

    /// Whether this is [#REFUSED] itself.
    @SuppressWarnings("ReferenceEquality")
    public boolean isRefused() {
        return this == REFUSED;
    }

    /// Whether it certainly allows all that another one does.
    public boolean covers(Grant other) {
        return showsAll() && writeFilter.isEmpty() && mergeRequest.isEmpty() && allowed.containsAll(other.allowed);
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
        return isRefused() ? this : new Grant(allowed, readFilter, writeFilter, other, projectResponse, checkWritten);
    }

    public Grant withProjectResponse(Optional<BsonDocument> other) {
        return isRefused() ? this : new Grant(allowed, readFilter, writeFilter, mergeRequest, other, checkWritten);
    }
}
