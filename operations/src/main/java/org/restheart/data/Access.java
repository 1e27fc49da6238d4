package org.restheart.data;

import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
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
            boolean checkWritten)
            implements Access {
        public RowPolicy {
            allowed = Set.copyOf(allowed);
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
                && allowed().containsAll(other.allowed());
    }

    /// The same, not beyond what a rule can allow. What is denied stays so.
    default Access withMergeRequest(Optional<BsonDocument> other) {
        return this instanceof Denied
                ? this
                : new RowPolicy(allowed(), readFilter(), writeFilter(), other, projectResponse(), checkWritten());
    }

    /// As [#withMergeRequest].
    default Access withProjectResponse(Optional<BsonDocument> other) {
        return this instanceof Denied
                ? this
                : new RowPolicy(allowed(), readFilter(), writeFilter(), mergeRequest(), other, checkWritten());
    }
}
