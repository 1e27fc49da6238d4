package org.restheart.core.streams;

import at.favre.lib.crypto.bcrypt.BCrypt;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.util.List;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.bson.Document;
import org.restheart.core.Gateway;
import org.restheart.core.config.GatewayConfig;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WebSocketClient;

/// A gateway on a free port over its own database, open to all callers.
final class StreamsGateway implements AutoCloseable {
    static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /// Blocks of a configuration with accounts and permissions in the database.
    static final String SECURITY = """
            basicAuthMechanism: {enabled: true}
            mongoRealmAuthenticator: {users-db: $db, users-collection: users, bcrypt-complexity: 4, create-user: false}
            mongoAclAuthorizer: {acl-db: $db, acl-collection: acl, root-role: admin}
            """;

    private final MongoClient client;
    private final MongoDatabase database;
    private final Gateway gateway;

    private StreamsGateway(MongoClient client, MongoDatabase database, Gateway gateway) {
        this.client = client;
        this.database = database;
        this.gateway = gateway;
    }

    /// @param options keys of `mongo`, such as `, change-streams-max-cursors: 1`
    static StreamsGateway start(TestMongo mongo, String options) {
        return start(mongo.client(), mongo.connectionString(), mongo.newDatabaseName(), options);
    }

    /// The same, over another deployment.
    static StreamsGateway start(MongoClient client, String connectionString, String name, String options) {
        var database = client.getDatabase(name);
        database.getCollection("acl", BsonDocument.class).insertOne(BsonDocument.parse("""
                        {roles: ['$unauthenticated', 'admin'], predicate: "path-prefix('/')", priority: 1,
                         mongo: {allowManagementRequests: true, allowWriteMode: true,
                                 allowBulkPatch: true, allowBulkDelete: true}}"""));
        return start(
                client, database, connectionString, options, "mongoAclAuthorizer: {acl-db: $db, acl-collection: acl}");
    }

    /// One with accounts and permissions.
    ///
    /// @param more blocks of the configuration, in which `$db` is the database
    static StreamsGateway startSecured(TestMongo mongo, String options, String more) {
        var database = mongo.client().getDatabase(mongo.newDatabaseName());
        return start(mongo.client(), database, mongo.connectionString(), options, more);
    }

    /// An account with the password `NAME-pw`.
    void addUser(String name, String role) {
        database.getCollection("users")
                .insertOne(new Document("_id", name)
                        .append("password", BCrypt.withDefaults().hashToString(4, (name + "-pw").toCharArray()))
                        .append("roles", List.of(role)));
    }

    /// The field `Authorization` of such an account.
    static String basic(String name) {
        return TestClient.basic(name, name + "-pw");
    }

    /// The same, over another deployment.
    static StreamsGateway startSecured(MongoClient client, String connectionString, String name, String more) {
        return startSecured(client, connectionString, name, "", more);
    }

    /// The same, with keys of `mongo`.
    static StreamsGateway startSecured(
            MongoClient client, String connectionString, String name, String options, String more) {
        return start(client, client.getDatabase(name), connectionString, options, more);
    }

    /// Another gateway over the same database.
    StreamsGateway another(TestMongo mongo, String options, String more) {
        return another(mongo.connectionString(), options, more);
    }

    /// The same, over another deployment.
    StreamsGateway another(String connectionString, String options, String more) {
        return start(client, database, connectionString, options, more);
    }

    private static StreamsGateway start(
            MongoClient client, MongoDatabase database, String connectionString, String options, String more) {
        var config = GatewayConfig.parse("""
                http-listener: {host: 127.0.0.1, port: 0}
                mclient: {connection-string: "$uri"}
                mongo: {mongo-mounts: [{what: /$db, where: /}]$options}
                aggregationSecurity: {enabled: true, stageBlacklist: ["$lookup"]}
                $more
                """.replace("$more", more)
                .replace("$uri", connectionString)
                .replace("$options", options)
                .replace("$db", database.getName()));
        return new StreamsGateway(client, database, Gateway.start(config));
    }

    MongoDatabase database() {
        return database;
    }

    MongoCollection<BsonDocument> collection(String name) {
        return database.getCollection(name, BsonDocument.class);
    }

    void insert(String collection, String json) {
        collection(collection).insertOne(BsonDocument.parse(json));
    }

    URI uri(String scheme, String target) {
        return URI.create(scheme + "://127.0.0.1:" + gateway.address().getPort() + target);
    }

    HttpResponse<String> send(String method, String target, String body, String... headers) throws Exception {
        var request = HttpRequest.newBuilder(uri("http", target))
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .header("Content-Type", "application/json");
        for (int i = 0; i < headers.length; i += 2) {
            request.setHeader(headers[i], headers[i + 1]);
        }
        return HTTP.send(request.build(), BodyHandlers.ofString());
    }

    /// Makes or changes a collection's properties.
    void define(String collection, String json) throws Exception {
        var status = send("PUT", "/" + collection, json).statusCode();
        if (status != 200 && status != 201) {
            throw new AssertionError("PUT answered " + status);
        }
    }

    /// The status of a handshake of a WebSocket; a valid one is cut off at once.
    int handshake(String target, String... headers) throws Exception {
        return WebSocketClient.handshake(uri("ws", target), fields(headers));
    }

    /// @param headers names and values
    static Consumer<WebSocket.Builder> fields(String... headers) {
        return builder -> {
            for (int i = 0; i < headers.length; i += 2) {
                builder.header(headers[i], headers[i + 1]);
            }
        };
    }

    /// MongoDB's open change streams on a collection.
    int cursors(String collection) {
        var match = "{'cursor.tailable': true, ns: '" + database.getName() + "." + collection + "'}";
        return TestMongo.operations(client, match).size();
    }

    @Override
    public void close() {
        gateway.close();
    }
}
