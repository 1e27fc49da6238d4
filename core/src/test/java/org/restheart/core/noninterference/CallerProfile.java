package org.restheart.core.noninterference;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;

/// A caller with its permission. Account and role have the profile's name in lower case; its requests address
/// collections whose names begin with it.
enum CallerProfile {
    /// Reads own documents.
    READS("method(GET, POST)", "{readFilter: {owner: '@user.owner'}}", "{owner: 'xena'}", "{}"),
    /// Reads by a filter with `$or` and `$in`.
    PARTS(
            "method(GET)",
            "{readFilter: {$or: [{owner: '@user.owner'}, {pub: true, team: {$in: ['red', 'green']}}]}}",
            "{$or: [{owner: 'xena'}, {pub: true, team: {$in: ['red', 'green']}}]}",
            "{}"),
    /// Sends no credentials.
    ANYBODY("method(GET)", "{readFilter: {pub: true}}", "{pub: true}", "{}"),
    /// Reads and writes own documents.
    OWNS(
            "path-prefix('/')",
            "{readFilter: {owner: '@user.owner'}, writeFilter: {owner: '@user.owner'}, allowBulkPatch: true,"
                    + " allowBulkDelete: true, allowWriteMode: true}",
            "{owner: 'xena'}",
            "{owner: {$ne: 'xena'}}"),
    /// Reads all documents, writes own ones.
    WRITES(
            "path-prefix('/')",
            "{writeFilter: {owner: '@user.owner'}, allowBulkPatch: true, allowBulkDelete: true, allowWriteMode: true}",
            "{}",
            "{owner: {$ne: 'xena'}}"),
    /// `checkWritten` with a filter on a nested field.
    CHECKED(
            "path-prefix('/')",
            "{writeFilter: {'n.k': 1}, checkWritten: true, allowBulkPatch: true, allowBulkDelete: true,"
                    + " allowWriteMode: true}",
            "{}",
            "{'n.k': {$ne: 1}}"),
    /// The same with a `readFilter` and `mergeRequest`.
    MERGED(
            "path-prefix('/')",
            "{readFilter: {'n.k': 1}, writeFilter: {'n.k': 1}, checkWritten: true, mergeRequest: {team: '@user.team'},"
                    + " allowBulkPatch: true, allowBulkDelete: true, allowWriteMode: true}",
            "{'n.k': 1}",
            "{'n.k': {$ne: 1}}"),
    /// Some fields are excluded.
    EXCLUDES(
            "path-prefix('/')",
            "{projectResponse: {secret: 0, 'n.secret': 0, '2024': 0}, allowBulkPatch: true, allowBulkDelete: true,"
                    + " allowWriteMode: true}",
            "{}",
            ""),
    /// Only some fields are included.
    INCLUDES(
            "path-prefix('/')",
            "{projectResponse: {open: 1, 'n.open': 1, v: 1, s: 1}, allowBulkPatch: true, allowBulkDelete: true,"
                    + " allowWriteMode: true}",
            "{}",
            ""),
    /// Nested fields are excluded, some with numeric names.
    NESTED(
            "path-prefix('/')",
            "{projectResponse: {'d.2024': 0, 'd.secret': 0, 'a.1': 0}, allowBulkPatch: true, allowBulkDelete: true,"
                    + " allowWriteMode: true}",
            "{}",
            ""),
    /// All restrictions combined.
    BOTH(
            "path-prefix('/')",
            "{readFilter: {owner: '@user.owner'}, writeFilter: {owner: '@user.owner'}, projectResponse: {secret: 0,"
                    + " 'n.secret': 0, '2024': 0}, checkWritten: true, allowBulkPatch: true, allowBulkDelete: true,"
                    + " allowWriteMode: true}",
            "{owner: 'xena'}",
            "{owner: {$ne: 'xena'}}"),
    /// The property `team` is a document that looks like an operator.
    ODD("method(GET)", "{readFilter: {team: '@user.team'}}", "{team: {$eq: {'$ne': 'x'}}}", "{}"),
    /// Runs stored aggregations.
    AGGREGATES(
            "method(GET)",
            "{readFilter: {owner: '@user.owner'}, projectResponse: {secret: 0}}",
            "{owner: 'xena'}",
            "{}"),
    /// Manages its collection.
    MANAGES(
            "path-prefix('/')",
            "{readFilter: {owner: '@user.owner'}, writeFilter: {owner: '@user.owner'}, projectResponse: {secret: 0},"
                    + " allowManagementRequests: true, allowBulkPatch: true, allowBulkDelete: true,"
                    + " allowWriteMode: true}",
            "{owner: 'xena'}",
            ""),
    /// Manages a collection of which some fields are excluded.
    INDEXES(
            "path-prefix('/')",
            "{projectResponse: {secret: 0, 'n.secret': 0, '2024': 0}, allowManagementRequests: true}",
            "{}",
            ""),
    /// Manages accounts; passwords are always hidden.
    USERS(
            "path-prefix('/')",
            "{allowManagementRequests: true, allowBulkPatch: true, allowBulkDelete: true, allowWriteMode: true}",
            "{}",
            ""),
    /// Sends ad-hoc pipelines.
    PIPES(
            "method(GET, POST)",
            "{readFilter: {owner: '@user.owner'}, projectResponse: {secret: 0, 'n.secret': 0, '2024': 0},"
                    + " allowAdHocAggregations: true}",
            "{owner: 'xena'}",
            "{}"),
    /// Some fields are excluded in a collection with a JSON Schema.
    SCHEMED(
            "path-prefix('/')",
            "{readFilter: {owner: '@user.owner'}, writeFilter: {owner: '@user.owner'}, projectResponse: {secret: 0,"
                    + " 'n.secret': 0, '2024': 0}, checkWritten: true, allowBulkPatch: true, allowBulkDelete: true,"
                    + " allowWriteMode: true}",
            "{owner: 'xena'}",
            "{owner: {$ne: 'xena'}}"),
    /// One of several accounts with similar properties: [TogetherEqualsAloneTest].
    ALIKE("path-prefix('/')", "{readFilter: {org: '@user.org'}, allowWriteMode: true}", "{}", "");

    private final String predicate;
    private final String mongo;
    private final String sees;
    private final String mayNotChange;

    CallerProfile(String predicate, String mongo, String sees, String mayNotChange) {
        this.predicate = predicate;
        this.mongo = mongo;
        this.sees = sees;
        this.mayNotChange = mayNotChange;
    }

    /// Profiles whose responses from two instances are compared.
    static List<CallerProfile> compared() {
        return Arrays.stream(values()).filter(profile -> profile != ALIKE).toList();
    }

    String user() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }

    String collection(int worker) {
        return this == USERS ? "users" : user() + worker;
    }

    boolean isAnonymous() {
        return this == ANYBODY;
    }

    /// The entry in `fileAclAuthorizer`.
    String permission() {
        return permission(Set.of());
    }

    /// The same, as if the gateway did not know these keys.
    String permission(Set<String> lost) {
        var known = BsonDocument.parse(mongo);
        known.keySet().removeAll(lost);
        var path = this == USERS
                ? "(path-prefix('/users') or path-prefix('/csv'))"
                : "(regex('^/" + user() + "[0-9]+([.]files)?(/.*)?$') or path('/_transactions')"
                        + " or path-prefix('/_sessions'))";
        return "{\"role\": \"" + (isAnonymous() ? "$unauthenticated" : user()) + "\", \"predicate\": \"" + path
                + " and " + predicate + "\", \"mongo\": "
                + known.toJson() + "}";
    }

    /// Selects the visible documents.
    BsonDocument sees() {
        return BsonDocument.parse(sees);
    }

    boolean seesAll() {
        return sees.equals("{}");
    }

    /// Selects the documents that no request may change; null if there are none.
    @org.jspecify.annotations.Nullable
    BsonDocument mayNotChange() {
        return mayNotChange.isEmpty() ? null : BsonDocument.parse(mayNotChange);
    }

    /// Whether no document may be added to those, either.
    boolean mayNotAdd() {
        return mongo.contains("checkWritten");
    }

    /// Paths of hidden fields.
    List<String> hides() {
        return switch (this) {
            case EXCLUDES, BOTH, INDEXES, PIPES, SCHEMED -> List.of("secret", "n.secret", "2024");
            case INCLUDES -> List.of("secret", "n.secret", "2024", "a", "d", "t", "new", "language", "r", "rs");
            case NESTED -> List.of("d.2024", "d.secret", "a.1");
            case AGGREGATES, MANAGES -> List.of("secret");
            case USERS -> List.of("password");
            default -> List.of();
        };
    }

    /// Whether some test cases address a file bucket.
    boolean hasFiles() {
        return switch (this) {
            case READS, PARTS, ANYBODY, OWNS, WRITES, EXCLUDES, INCLUDES, BOTH -> true;
            default -> false;
        };
    }

    /// Whether responses depend on the collection of accounts.
    boolean readsAccounts() {
        return this == USERS || this == AGGREGATES;
    }

    boolean changesAccounts() {
        return this == USERS;
    }
}
