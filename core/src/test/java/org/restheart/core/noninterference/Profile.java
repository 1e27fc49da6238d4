package org.restheart.core.noninterference;

import java.util.Arrays;
import java.util.List;
import org.bson.BsonDocument;

/// A caller and what he may do. His account and his role have the profile's name, in lower case; he works on
/// collections
/// whose names begin with it.
enum Profile {
    /// Sees what is his.
    READS("method(GET, POST)", "{readFilter: {owner: '@user.owner'}}", "{owner: 'xena'}", "{}"),
    /// Sees by a rule that has parts.
    PARTS(
            "method(GET)",
            "{readFilter: {$or: [{owner: '@user.owner'}, {pub: true, team: {$in: ['red', 'green']}}]}}",
            "{$or: [{owner: 'xena'}, {pub: true, team: {$in: ['red', 'green']}}]}",
            "{}"),
    /// Nobody.
    ANYBODY("method(GET)", "{readFilter: {pub: true}}", "{pub: true}", "{}"),
    /// Reads and writes what is his.
    OWNS(
            "path-prefix('/')",
            "{readFilter: {owner: '@user.owner'}, writeFilter: {owner: '@user.owner'}, allowBulkPatch: true,"
                    + " allowBulkDelete: true, allowWriteMode: true}",
            "{owner: 'xena'}",
            "{owner: {$ne: 'xena'}}"),
    /// Reads all, writes what is his.
    WRITES(
            "path-prefix('/')",
            "{writeFilter: {owner: '@user.owner'}, allowBulkPatch: true, allowBulkDelete: true, allowWriteMode: true}",
            "{}",
            "{owner: {$ne: 'xena'}}"),
    /// Writes nothing out of its part, which is deep within documents.
    CHECKED(
            "path-prefix('/')",
            "{writeFilter: {'n.k': 1}, checkWritten: true, allowBulkPatch: true, allowBulkDelete: true,"
                    + " allowWriteMode: true}",
            "{}",
            "{'n.k': {$ne: 1}}"),
    /// The same, seen through the same filter, with values of the server's own.
    MERGED(
            "path-prefix('/')",
            "{readFilter: {'n.k': 1}, writeFilter: {'n.k': 1}, checkWritten: true, mergeRequest: {team: '@user.team'},"
                    + " allowBulkPatch: true, allowBulkDelete: true, allowWriteMode: true}",
            "{'n.k': 1}",
            "{'n.k': {$ne: 1}}"),
    /// Does not see some fields.
    EXCLUDES(
            "path-prefix('/')",
            "{projectResponse: {secret: 0, 'n.secret': 0, '2024': 0}, allowBulkPatch: true, allowBulkDelete: true,"
                    + " allowWriteMode: true}",
            "{}",
            ""),
    /// Sees some fields only.
    INCLUDES(
            "path-prefix('/')",
            "{projectResponse: {open: 1, 'n.open': 1, v: 1, s: 1}, allowBulkPatch: true, allowBulkDelete: true,"
                    + " allowWriteMode: true}",
            "{}",
            ""),
    /// Does not see fields within others, with numbers for names.
    NESTED(
            "path-prefix('/')",
            "{projectResponse: {'d.2024': 0, 'd.secret': 0, 'a.1': 0}, allowBulkPatch: true, allowBulkDelete: true,"
                    + " allowWriteMode: true}",
            "{}",
            ""),
    /// Everything at once.
    BOTH(
            "path-prefix('/')",
            "{readFilter: {owner: '@user.owner'}, writeFilter: {owner: '@user.owner'}, projectResponse: {secret: 0,"
                    + " 'n.secret': 0, '2024': 0}, checkWritten: true, allowBulkPatch: true, allowBulkDelete: true,"
                    + " allowWriteMode: true}",
            "{owner: 'xena'}",
            "{owner: {$ne: 'xena'}}"),
    /// His team is a document that looks like an operator.
    ODD("method(GET)", "{readFilter: {team: '@user.team'}}", "{team: {$eq: {'$ne': 'x'}}}", "{}"),
    /// Runs stored aggregations.
    AGGREGATES(
            "method(GET)",
            "{readFilter: {owner: '@user.owner'}, projectResponse: {secret: 0}}",
            "{owner: 'xena'}",
            "{}"),
    /// Manages his collection.
    MANAGES(
            "path-prefix('/')",
            "{readFilter: {owner: '@user.owner'}, writeFilter: {owner: '@user.owner'}, projectResponse: {secret: 0},"
                    + " allowManagementRequests: true, allowBulkPatch: true, allowBulkDelete: true,"
                    + " allowWriteMode: true}",
            "{owner: 'xena'}",
            ""),
    /// Manages a collection some fields of which he does not see.
    INDEXES(
            "path-prefix('/')",
            "{projectResponse: {secret: 0, 'n.secret': 0, '2024': 0}, allowManagementRequests: true}",
            "{}",
            ""),
    /// Manages accounts, but knows no passwords.
    USERS(
            "path-prefix('/')",
            "{allowManagementRequests: true, allowBulkPatch: true, allowBulkDelete: true, allowWriteMode: true}",
            "{}",
            ""),
    /// Sends pipelines of his own.
    PIPES(
            "method(GET, POST)",
            "{readFilter: {owner: '@user.owner'}, projectResponse: {secret: 0, 'n.secret': 0, '2024': 0},"
                    + " allowAdHocAggregations: true}",
            "{owner: 'xena'}",
            "{}"),
    /// Does not see fields of documents that are held to a schema.
    SCHEMED(
            "path-prefix('/')",
            "{readFilter: {owner: '@user.owner'}, writeFilter: {owner: '@user.owner'}, projectResponse: {secret: 0,"
                    + " 'n.secret': 0, '2024': 0}, checkWritten: true, allowBulkPatch: true, allowBulkDelete: true,"
                    + " allowWriteMode: true}",
            "{owner: 'xena'}",
            "{owner: {$ne: 'xena'}}"),
    /// One of several whose accounts look alike: [TogetherEqualsAloneTest].
    ALIKE("path-prefix('/')", "{readFilter: {org: '@user.org'}, allowWriteMode: true}", "{}", "");

    private final String predicate;
    private final String mongo;
    private final String sees;
    private final String mayNotChange;

    Profile(String predicate, String mongo, String sees, String mayNotChange) {
        this.predicate = predicate;
        this.mongo = mongo;
        this.sees = sees;
        this.mayNotChange = mayNotChange;
    }

    /// Those whose requests are put to two worlds.
    static List<Profile> ofTwoWorlds() {
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

    /// A line of the file of permissions.
    String permission() {
        var path = this == USERS
                ? "(path-prefix('/users') or path-prefix('/csv'))"
                : "regex('^/" + user() + "[0-9]+([.]files)?(/.*)?$')";
        return "{\"role\": \"" + (isAnonymous() ? "$unauthenticated" : user()) + "\", \"predicate\": \"" + path
                + " and " + predicate + "\", \"mongo\": "
                + BsonDocument.parse(mongo).toJson() + "}";
    }

    /// Which documents he sees.
    BsonDocument sees() {
        return BsonDocument.parse(sees);
    }

    boolean seesAll() {
        return sees.equals("{}");
    }

    /// Which documents must be the same afterwards; null if none.
    @org.jspecify.annotations.Nullable
    BsonDocument mayNotChange() {
        return mayNotChange.isEmpty() ? null : BsonDocument.parse(mayNotChange);
    }

    /// Whether there must be no more of those afterwards, either.
    boolean mayNotAdd() {
        return mongo.contains("checkWritten");
    }

    /// Paths that he does not see.
    List<String> hides() {
        return switch (this) {
            case EXCLUDES, BOTH, INDEXES, PIPES, SCHEMED -> List.of("secret", "n.secret", "2024");
            case INCLUDES -> List.of("secret", "n.secret", "2024", "a", "d", "t", "new");
            case NESTED -> List.of("d.2024", "d.secret", "a.1");
            case AGGREGATES, MANAGES -> List.of("secret");
            case USERS -> List.of("password");
            default -> List.of();
        };
    }

    /// Whether some of his episodes are about files.
    boolean hasFiles() {
        return switch (this) {
            case READS, PARTS, ANYBODY, OWNS, WRITES, EXCLUDES, INCLUDES, BOTH -> true;
            default -> false;
        };
    }

    /// Whether the answers depend on the accounts.
    boolean readsAccounts() {
        return this == USERS || this == AGGREGATES;
    }

    boolean changesAccounts() {
        return this == USERS;
    }
}
