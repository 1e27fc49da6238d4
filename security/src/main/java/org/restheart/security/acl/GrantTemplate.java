package org.restheart.security.acl;

import java.util.Optional;
import org.bson.BsonDocument;
import org.restheart.http.access.Grant;
import org.restheart.security.predicate.Attempt;

/// The `mongo` object of a permission with unresolved variables. Immutable.
///
/// @param flags the grant as written, variables unreplaced
/// @param hasVariables whether variables have to be replaced per request
record GrantTemplate(Grant flags, boolean hasVariables) {
    static GrantTemplate of(Grant written) {
        return new GrantTemplate(
                written,
                hasVariables(written.readFilter())
                        || hasVariables(written.writeFilter())
                        || hasVariables(written.mergeRequest()));
    }

    private static boolean hasVariables(Optional<BsonDocument> document) {
        return document.filter(FilterVariables::occurIn).isPresent();
    }

    Grant bind(Attempt attempt) {
        if (!hasVariables) {
            return flags;
        }
        var variables = new FilterVariables(attempt, flags);
        return new Grant(
                flags.allowManagementRequests(),
                flags.allowBulkPatch(),
                flags.allowBulkDelete(),
                flags.allowWriteMode(),
                flags.allowAdHocAggregations(),
                flags.readFilter().map(variables::bindFilter),
                flags.writeFilter().map(variables::bindFilter),
                flags.mergeRequest().map(variables::bind),
                flags.projectResponse(),
                flags.checkWritten());
    }
}
