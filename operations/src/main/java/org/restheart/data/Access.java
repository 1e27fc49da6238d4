package org.restheart.data;

import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;

/// What a caller may see and do of the data that a request or an operation is about, as the rules have decided, their
/// variables already replaced. Known elsewhere as row-level security. Immutable by agreement.
public sealed interface Access {
    /// The privileges beyond plain reads and writes.
    default Set<Privilege> allowed() {
        return Set.of();
    }

    /// ANDed with the filter of every read.
    default Optional<BsonDocument> readFilter() {
        return Optional.empty();
    }

    /// ANDed with the filter of every write.
    default Optional<BsonDocument> writeFilter() {
        return Optional.empty();
    }

    /// Fields merged into the content of every write, in place of those that the client sends.
    default Optional<BsonDocument> mergeRequest() {
        return Optional.empty();
    }

    /// The projection of all documents in results.
    default Optional<BsonDocument> projectResponse() {
        return Optional.empty();
    }

    /// Whether new content that the write filter does not match is refused.
    default boolean checkWritten() {
        return false;
    }

    /// Whether queries that no index serves are refused.
    default boolean requireIndex() {
        return false;
    }

    /// Whether responses say where their time went (`Server-Timing`).
    default boolean serverTiming() {
        return false;
    }

    /// Everything, also on paths that no rule covers: the root role, and authorizers without rules.
    record Root() implements Access {
        private static final Set<Privilege> ALL = Set.copyOf(EnumSet.allOf(Privilege.class));

        @Override
        public Set<Privilege> allowed() {
            return ALL;
        }
    }

    /// Nothing, whatever other authorizers would allow: credentials with fewer roles than their account, where another
    /// role of the account decides.
    record Denied() implements Access {}

    /// Some rows, some fields. A rule without restrictions is this, too, since it allows nothing where it does not
    /// apply.
    record RowPolicy(
            Set<Privilege> allowed,
            Optional<BsonDocument> readFilter,
            Optional<BsonDocument> writeFilter,
            Optional<BsonDocument> mergeRequest,
            Optional<BsonDocument> projectResponse,
            boolean checkWritten,
            boolean requireIndex,
            boolean serverTiming)
            implements Access {
        public RowPolicy {
            allowed = Set.copyOf(allowed);
        }

        /// Of queries that may read all.
        public RowPolicy(
                Set<Privilege> allowed,
                Optional<BsonDocument> readFilter,
                Optional<BsonDocument> writeFilter,
                Optional<BsonDocument> mergeRequest,
                Optional<BsonDocument> projectResponse,
                boolean checkWritten) {
            this(allowed, readFilter, writeFilter, mergeRequest, projectResponse, checkWritten, false, false);
        }
    }

    /// Reads as the author of a stored definition lets its callers read, whatever they may read themselves.
    ///
    /// @param projectResponse without the fields that nobody sees
    record Definer(Optional<BsonDocument> projectResponse) implements Access {}

    default boolean allows(Privilege privilege) {
        return allowed().contains(privilege);
    }

    /// Whether the caller sees all fields of all documents.
    default boolean showsAll() {
        return readFilter().isEmpty() && projectResponse().isEmpty();
    }

    /// Whether it certainly allows all that another one does.
    default boolean covers(Access other) {
        return showsAll()
                && writeFilter().isEmpty()
                && mergeRequest().isEmpty()
                && (!requireIndex() || other.requireIndex())
                && allowed().containsAll(other.allowed());
    }

    /// The same, not beyond what a rule can allow. What is denied stays so.
    default Access withMergeRequest(Optional<BsonDocument> other) {
        return policy(readFilter(), writeFilter(), other, projectResponse(), checkWritten());
    }

    /// As [#withMergeRequest], for those documents alone that a filter matches: what is read, what is changed, and what
    /// is written.
    default Access withRows(BsonDocument filter) {
        return policy(
                Optional.of(and(readFilter(), filter)),
                Optional.of(and(writeFilter(), filter)),
                mergeRequest(),
                projectResponse(),
                true);
    }

    private Access policy(
            Optional<BsonDocument> readFilter,
            Optional<BsonDocument> writeFilter,
            Optional<BsonDocument> mergeRequest,
            Optional<BsonDocument> projectResponse,
            boolean checkWritten) {
        return this instanceof Denied
                ? this
                : new RowPolicy(
                        allowed(),
                        readFilter,
                        writeFilter,
                        mergeRequest,
                        projectResponse,
                        checkWritten,
                        requireIndex(),
                        serverTiming());
    }

    private static BsonDocument and(Optional<BsonDocument> filter, BsonDocument other) {
        return filter.map(first -> new BsonDocument("$and", new BsonArray(List.of(first, other))))
                .orElse(other);
    }

    /// Plain reads and writes of all documents.
    static Access plain() {
        return new RowPolicy(Set.of(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), false);
    }

    /// As [#withMergeRequest].
    default Access withProjectResponse(Optional<BsonDocument> other) {
        return policy(readFilter(), writeFilter(), mergeRequest(), other, checkWritten());
    }
}
