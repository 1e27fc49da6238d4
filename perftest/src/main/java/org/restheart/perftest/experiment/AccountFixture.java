package org.restheart.perftest.experiment;

import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.ReplaceOptions;
import java.util.List;
import org.bson.Document;
import org.restheart.perftest.deploy.Mongo;

/// Accounts and permissions in collections of the gateway's deployment, as a site has them: readers may read, and so
/// may everybody.
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

    static void write(Mongo mongo) {
        try (var client = MongoClients.create(mongo.connectionString())) {
            var database = client.getDatabase(Dataset.DATABASE);
            var permissions = database.getCollection(PERMISSIONS);
            put(permissions, permission("all-read", "$unauthenticated"));
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
