package org.restheart.core.security;

import at.favre.lib.crypto.bcrypt.BCrypt;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import java.net.InetSocketAddress;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.Document;
import org.restheart.core.Gateway;
import org.restheart.core.config.GatewayConfig;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;

/// A gateway on a free port over a database of the test's own, with accounts and permissions in that
/// database: `admin` (root), `ada` (editor) and `bob` (viewer), whose passwords are their names with `-pw`.
public final class TestGateway implements AutoCloseable {
    /// The lowest bcrypt cost.
    public static final String REALM =
            "mongoRealmAuthenticator: {users-db: $db, users-collection: users, bcrypt-complexity: 4}\n";

    /// Of the accounts that each gateway has.
    private static final Map<String, String> HASHES = new ConcurrentHashMap<>();

    private final Gateway gateway;
    private final MongoDatabase database;

    /// Whether it may know permissions and metadata.
    private boolean asked;

    private TestGateway(Gateway gateway, MongoDatabase database) {
        this.gateway = gateway;
        this.database = database;
    }

    /// @param more further blocks of the configuration, in which `$db` is the database
    public static TestGateway start(TestMongo mongo, String more) {
        return startWithRealm(mongo, REALM, more);
    }

    /// With few connections to MongoDB.
    public static TestGateway startWithPool(TestMongo mongo, int connections, String more) {
        return start(mongo, mongo.connectionString("maxPoolSize=" + connections), REALM, more);
    }

    /// @param realm the block `mongoRealmAuthenticator`
    public static TestGateway startWithRealm(TestMongo mongo, String realm, String more) {
        return start(mongo, mongo.connectionString(), realm, more);
    }

    /// Whose way to MongoDB is this connection string.
    public static TestGateway startAt(TestMongo mongo, String uri, String more) {
        return start(mongo, uri, REALM, more);
    }

    /// @param data keys of the block `mongo`, each with a comma behind it
    public static TestGateway startWithData(TestMongo mongo, String data) {
        return open(mongo, mongo.connectionString(), data, REALM);
    }

    /// With other mounts than the database at `/`.
    ///
    /// @param mounts the list `mongo-mounts`, in which `$db` is the database
    public static TestGateway startMounted(TestMongo mongo, String mounts, String more) {
        return open(mongo, mongo.connectionString(), "", mounts, REALM + more);
    }

    /// A filter that holds for each document, and whose evaluation takes MongoDB about a microsecond for each step.
    public static String slowFilter(int steps) {
        return """
            {"$expr": {"$gt": [{"$reduce": {"input": {"$range": [0, %d]}, "initialValue": {"$size": {"$split": ["$_id", "/"]}},
             "in": {"$add": ["$$value", "$$this"]}}}, -1]}}\
            """.formatted(steps);
    }

    /// @param data as above
    /// @param more as above
    public static TestGateway startWithData(TestMongo mongo, String data, String more) {
        return open(mongo, mongo.connectionString(), data, REALM + more);
    }

    private static TestGateway start(TestMongo mongo, String uri, String realm, String more) {
        return open(mongo, uri, "", realm + more);
    }

    private static TestGateway open(TestMongo mongo, String uri, String data, String more) {
        return open(mongo, uri, data, "[{what: /$db, where: /}]", more);
    }

    private static TestGateway open(TestMongo mongo, String uri, String data, String mounts, String more) {
        var database = mongo.client().getDatabase(mongo.newDatabaseName());
        addUser(database, "admin", "admin");
        addUser(database, "ada", "editor");
        addUser(database, "bob", "viewer");
        return new TestGateway(Gateway.start(config(uri, database.getName(), data, mounts, more)), database);
    }

    public static GatewayConfig config(String uri, String database, String more) {
        return config(uri, database, "", "[{what: /$db, where: /}]", more);
    }

    private static GatewayConfig config(String uri, String database, String data, String mounts, String more) {
        return GatewayConfig.parse("""
            http-listener: {host: 127.0.0.1, port: 0}
            mclient: {connection-string: "$uri"}
            mongo: {$data mongo-mounts: $mounts}
            basicAuthMechanism: {enabled: true}
            bruteForceAttackGuard: {enabled: false}
            mongoAclAuthorizer: {acl-db: $db, acl-collection: acl, root-role: admin}
            $more
            """.replace("$data", data)
                .replace("$mounts", mounts)
                .replace("$more", more)
                .replace("$uri", uri)
                .replace("$db", database));
    }

    public static String hash(String password) {
        return BCrypt.withDefaults().hashToString(4, password.toCharArray());
    }

    private static void addUser(MongoDatabase database, String name, String role) {
        database.getCollection("users")
                .insertOne(new Document("_id", name)
                        .append("password", HASHES.computeIfAbsent(name, _ -> hash(name + "-pw")))
                        .append("roles", List.of(role)));
    }

    /// @param json a permission
    public void permit(String json) {
        insert("acl", json);
    }

    /// A permission of a role; its name is the role's.
    ///
    /// @param mongo its restrictions and flags, as JSON
    public void permit(String role, String predicate, String mongo) {
        permit("{_id: '" + role + "', roles: ['" + role + "'], predicate: \"" + predicate + "\", mongo: " + mongo
                + "}");
    }

    /// Accounts with the roles of their names, and the password `pw`, for [#user].
    public void addUsers(String... names) {
        for (var name : names) {
            insertUsers("{_id: '" + name + "', roles: ['" + name + "']}");
        }
    }

    /// Accounts to which the password `pw` is added, for [#user], each time with another salt.
    public void insertUsers(String... json) {
        for (var account : json) {
            collection("users").insertOne(BsonDocument.parse(account).append("password", new BsonString(hash("pw"))));
        }
    }

    /// Permissions and metadata hold for the next request: the gateway forgets what it knows of them, but would learn
    /// of what others write only a moment later.
    public void insert(String collection, String... json) {
        for (var document : json) {
            collection(collection).insertOne(BsonDocument.parse(document));
        }
        if (asked && collection.equals("acl")) {
            as("admin").delete("/acl/none"); // a write, though there is nothing to delete
        } else if (asked && collection.startsWith("_")) {
            as("admin").post("/ic?db=" + database.getName(), "");
        }
    }

    public MongoCollection<BsonDocument> collection(String name) {
        return database.getCollection(name, BsonDocument.class);
    }

    public MongoDatabase database() {
        return database;
    }

    public InetSocketAddress address() {
        asked = true;
        return gateway.address();
    }

    public TestClient anonymous() {
        asked = true;
        return TestClient.of(gateway.address());
    }

    public TestClient as(String name) {
        return anonymous().as(name, name + "-pw");
    }

    /// An account that the test has inserted, whose password is `pw`.
    public TestClient user(String name) {
        return anonymous().as(name, "pw");
    }

    /// The stored document; null if there is none.
    public BsonDocument stored(String collection, String id) {
        return collection(collection).find(Filters.eq("_id", id)).first();
    }

    public static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    @Override
    public void close() {
        gateway.close();
    }
}
