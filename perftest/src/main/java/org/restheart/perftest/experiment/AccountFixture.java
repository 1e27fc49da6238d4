package org.restheart.perftest.experiment;

import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.ReplaceOptions;
import java.util.List;
import org.bson.Document;
import org.bson.types.ObjectId;
import org.restheart.perftest.deploy.Mongo;

/// Accounts and permissions in collections of the gateway's deployment, as a site has them: readers may read, and so
/// may everybody where that is wanted.
final class AccountFixture {
    static final String NAME = "reader";
    private static final String PASSWORD = "reader-secret";

    /// `name:password` of the account.
    static final String READER = NAME + ":" + PASSWORD;

    /// `name:password` of an account whose permission has a filter for documents, which all of them meet, and hides a
    /// field.
    static final String RULED = "ruled:" + PASSWORD;

    private static final String ACCOUNTS = "accounts";
    private static final String PERMISSIONS = "permissions";
    private static final String HASH = "$2a$12$TS.wHyfyWXkFjqTV2H0Pd.y9JqWy4AaH6/bz7cZP/9LzumpaIcAX6";

    private AccountFixture() {}

    /// The overrides that have the gateway look there.
    static String configuration() {
        return String.join(
                "; ",
                "/basicAuthMechanism/authenticator -> 'mongoRealmAuthenticator'",
                "/mongoRealmAuthenticator/enabled -> true",
                "/mongoRealmAuthenticator/users-db -> '" + Dataset.DATABASE + "'",
                "/mongoRealmAuthenticator/users-collection -> '" + ACCOUNTS + "'",
                "/mongoAclAuthorizer/enabled -> true",
                "/mongoAclAuthorizer/acl-db -> '" + Dataset.DATABASE + "'",
                "/mongoAclAuthorizer/acl-collection -> '" + PERMISSIONS + "'");
    }

    /// @param anybodyReads whether data are open to those who do not log in
    static void write(Mongo mongo, boolean anybodyReads) {
        try (var client = MongoClients.create(mongo.connectionString())) {
            var database = client.getDatabase(Dataset.DATABASE);
            var permissions = database.getCollection(PERMISSIONS);
            var anybody = permission("all-read", "$unauthenticated");
            if (anybodyReads) {
                put(permissions, anybody);
            } else {
                permissions.deleteOne(new Document("_id", anybody.get("_id")));
            }
            put(permissions, permission("readers-read", "reader"));
            put(permissions, permission("ruled-read", "ruled").append("mongo", rule()));
            var accounts = database.getCollection(ACCOUNTS);
            put(accounts, account(NAME, "reader"));
            put(accounts, account("ruled", "ruled").append("from", "g"));
        }
    }

    private static Document rule() {
        return new Document("readFilter", new Document("group", new Document("$gte", "@user.from")))
                .append("projectResponse", new Document("secret", 0));
    }

    /// One more account that has never logged in.
    ///
    /// @return its `name:password`
    static String newcomer(Mongo mongo) {
        var name = "newcomer-" + new ObjectId().toHexString();
        try (var client = MongoClients.create(mongo.connectionString())) {
            put(client.getDatabase(Dataset.DATABASE).getCollection(ACCOUNTS), account(name, "reader"));
        }
        return name + ":" + PASSWORD;
    }

    static void removeNewcomers(Mongo mongo) {
        try (var client = MongoClients.create(mongo.connectionString())) {
            client.getDatabase(Dataset.DATABASE).getCollection(ACCOUNTS).deleteMany(Filters.regex("_id", "^newcomer-"));
        }
    }

    private static Document account(String name, String role) {
        return new Document("_id", name).append("password", HASH).append("roles", List.of(role));
    }

    private static Document permission(String id, String role) {
        return new Document("_id", id)
                .append("roles", List.of(role))
                .append("predicate", "path-prefix('/" + Dataset.DATABASE + "') and method(GET)")
                .append("priority", 100);
    }

    private static void put(MongoCollection<Document> collection, Document document) {
        collection.replaceOne(new Document("_id", document.get("_id")), document, new ReplaceOptions().upsert(true));
    }
}
