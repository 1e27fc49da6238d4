package org.restheart.perftest.experiment;

import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.ReplaceOptions;
import java.util.List;
import org.bson.Document;
import org.restheart.perftest.deploy.Mongo;

/// An account and permissions in collections of the gateway's deployment, as a site has them: a reader may read, and so
/// may everybody.
final class MongoAccounts {
    /// `name:password` of the account.
    static final String READER = "reader:reader-secret";

    private static final String ACCOUNTS = "accounts";
    private static final String PERMISSIONS = "permissions";
    private static final String READERS_HASH = "$2a$12$TS.wHyfyWXkFjqTV2H0Pd.y9JqWy4AaH6/bz7cZP/9LzumpaIcAX6";

    private MongoAccounts() {}

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
            var account = new Document("_id", "reader")
                    .append("password", READERS_HASH)
                    .append("roles", List.of("reader"));
            for (var permission :
                    List.of(permission("readers-read", "reader"), permission("all-read", "$unauthenticated"))) {
                put(database.getCollection(PERMISSIONS), permission);
            }
            put(database.getCollection(ACCOUNTS), account);
        }
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
