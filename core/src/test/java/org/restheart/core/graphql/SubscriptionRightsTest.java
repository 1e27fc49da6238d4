package org.restheart.core.graphql;

import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Updates.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.MongoCollection;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.data.ConformanceGateway;
import org.restheart.core.security.TestGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Subscriptions whose rules change while they are open.
@WithMongo
class SubscriptionRightsTest {
    private static final String QUERY = "subscription {changed{_id maker{name}}}";
    private static final String RECHECKED = "change-streams-recheck-ms: 200";

    private final TestMongo mongo;
    private final String db;

    SubscriptionRightsTest(TestMongo mongo) {
        this.mongo = mongo;
        this.db = mongo.newDatabaseName();
    }

    private ConformanceGateway start(String streams) {
        return ConformanceGateway.of("""
                http-listener: {host: 127.0.0.1, port: 0}
                basicAuthMechanism: {enabled: true}
                mongoRealmAuthenticator: {users-db: $db, users-collection: users, bcrypt-complexity: 4, create-user: false}
                mongoAclAuthorizer: {acl-db: $db, acl-collection: acl, root-role: admin}
                mclient: {connection-string: '$uri'}
                mongo: {mongo-mounts: [{what: /$db, where: /}], $streams}
                graphql: {db: $db, collection: gql-apps, app-cache-ttr: 600000}
                """.replace("$streams", streams)
                .replace("$uri", mongo.connectionString())
                .replace("$db", db));
    }

    private MongoCollection<Document> collection(String name) {
        return mongo.client().getDatabase(db).getCollection(name);
    }

    @BeforeEach
    void prepare() {
        var password = TestGateway.hash("secret");
        for (var name : List.of("admin", "ada")) {
            collection("users")
                    .insertOne(new Document("_id", name)
                            .append("password", password)
                            .append("roles", List.of(name)));
        }
        permit("app", "path-prefix('/graphql')", "{}");
        permit("data", "path-prefix('/items')", "{}");
        permit("makers", "path-prefix('/makers')", "{}");
        collection("makers").insertOne(new Document("_id", 1).append("name", "M"));
        try (var gateway = start(RECHECKED)) {
            var admin = new GraphqlClient(gateway, "admin");
            for (var made : List.of(
                    admin.send("PUT", "/items", "{\"streams\": [{\"uri\": \"all\", \"stages\": []}]}"),
                    admin.send("PUT", "/gql-apps", "{}"),
                    admin.send("PUT", "/gql-apps/live?wm=upsert", """
                            {"schema": "type Maker { name: String } type Item { _id: Int maker: Maker mine: Maker } type Query { items: [Item] } type Subscription { changed: Item }",
                             "mappings": {
                               "Query": {"items": {"db": "$db", "collection": "items"}},
                               "Item": {"maker": {"db": "$db", "collection": "makers", "find": {"_id": 1}, "as": "caller"},
                                        "mine": {"db": "$db", "collection": "makers", "find": {"_id": {"$arg": "@user.maker"}}}},
                               "Subscription": {"changed": {"db": "$db", "collection": "items", "stream": "all", "path": "fullDocument"}}}}
                            """.replace("$db", db)))) {
                assertStatus(201, made);
            }
        }
    }

    private void permit(String id, String predicate, String mongo) {
        collection("acl")
                .replaceOne(
                        eq("_id", id),
                        Document.parse("{roles: ['ada'], priority: 1}")
                                .append("_id", id)
                                .append("predicate", predicate)
                                .append("mongo", Document.parse(mongo)),
                        new com.mongodb.client.model.ReplaceOptions().upsert(true));
    }

    @AfterEach
    void drop() {
        mongo.client().getDatabase(db).drop();
    }

    private void insert(int id) {
        collection("items").insertOne(new Document("_id", id));
    }

    private static GraphqlWebSocket subscribe(ConformanceGateway gateway, String user) throws Exception {
        var socket = GraphqlWebSocket.connect(gateway, user, "live");
        socket.subscribe("1", QUERY);
        socket.ping();
        return socket;
    }

    /// Comments may be sent until then.
    private static void requireEnded(GraphqlEvents events) {
        var next = new CompletableFuture<String>();
        Thread.ofVirtual().start(() -> {
            try {
                next.complete(events.next().data());
            } catch (IOException e) {
                next.completeExceptionally(e);
            }
        });
        assertThat(next)
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableOfType(ExecutionException.class)
                .withMessageContaining("the stream has ended");
    }

    @ParameterizedTest
    @ValueSource(strings = {"account", "role", "password", "app", "data"})
    void they_end_with_what_allows_them(String lost) throws Exception {
        try (var gateway = start(RECHECKED);
                var events = GraphqlEvents.open(gateway, "ada", "live", QUERY);
                var socket = subscribe(gateway, "ada");
                var idle = GraphqlWebSocket.connect(gateway, "ada", "live");
                var lasting = subscribe(gateway, "admin")) {
            insert(1);
            assertThat(events.data().toString()).contains("M");
            assertThat(socket.next().toJson()).contains("M");
            switch (lost) {
                case "account" -> collection("users").deleteOne(eq("_id", "ada"));
                case "role" -> collection("users").updateOne(eq("_id", "ada"), set("roles", List.of("none")));
                case "password" ->
                    collection("users").updateOne(eq("_id", "ada"), set("password", TestGateway.hash("x")));
                default -> collection("acl").deleteOne(eq("_id", lost));
            }
            assertThat(socket.closeCode()).isEqualTo(1008);
            requireEnded(events);
            if (lost.equals("data")) {
                idle.ping();
            } else {
                assertThat(idle.closeCode()).isEqualTo(1008);
            }
            assertThat(lasting.next().toJson()).contains("M");
            insert(2);
            assertThat(lasting.next().toJson()).contains("\"_id\": 2");
        }
    }

    /// Whether or not rights are checked in intervals.
    @Test
    void each_subscription_of_a_websocket_needs_the_permission_for_the_app() throws Exception {
        try (var gateway = start("change-streams-recheck-ms: 0");
                var socket = subscribe(gateway, "ada")) {
            socket.subscribe("2", QUERY);
            socket.ping();
            collection("acl").deleteOne(eq("_id", "app"));
            await().until(() -> new GraphqlClient(gateway, "ada")
                            .ask("live", "{items{_id}}")
                            .statusCode()
                    == 403);
            insert(1);
            assertThat(socket.next().toJson()).contains("\"_id\": 1");
            assertThat(socket.next().toJson()).contains("\"_id\": 1");
            socket.subscribe("3", QUERY);
            assertThat(socket.closeCode()).isEqualTo(1008);
        }
    }

    @Test
    void mappings_with_the_rights_of_the_caller_follow_changes_of_these() throws Exception {
        try (var gateway = start("change-streams-recheck-ms: 0");
                var socket = subscribe(gateway, "ada");
                var events = GraphqlEvents.open(gateway, "ada", "live", QUERY)) {
            var admin = new GraphqlClient(gateway, "ada");
            insert(1);
            assertThat(socket.next().toJson()).contains("\"name\": \"M\"");
            assertThat(events.data().toJson()).contains("\"name\": \"M\"");
            permit("makers", "path-prefix('/makers')", "{readFilter: {_id: {$gt: 1}}}");
            await().until(() -> admin.send("GET", "/makers", "").body().equals("[]"));
            insert(2);
            assertThat(socket.next().toJson()).contains("\"maker\": null").doesNotContain("errors");
            assertThat(events.data().toJson()).contains("\"maker\": null");
            collection("acl").deleteOne(eq("_id", "makers"));
            await().until(() -> admin.send("GET", "/makers", "").statusCode() == 403);
            insert(3);
            assertThat(socket.next().toJson()).contains("\"maker\": null", "errors");
            assertThat(events.next().data()).contains("errors").doesNotContain("\"M\"");
        }
    }

    /// Rules and mappings see the account whose rights are checked.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void values_of_the_account_are_those_at_the_event(boolean overSocket) throws Exception {
        collection("makers").insertOne(new Document("_id", 2).append("name", "N"));
        collection("users").updateOne(eq("_id", "ada"), set("maker", 1));
        permit("makers", "path-prefix('/makers')", "{readFilter: {_id: '@user.maker'}}");
        var query = "subscription {changed{_id maker{name} mine{name}}}";
        try (var gateway = start("change-streams-recheck-ms: 0");
                var socket = GraphqlWebSocket.connect(gateway, "ada", "live");
                var events = GraphqlEvents.open(gateway, "ada", "live", query)) {
            socket.subscribe("1", query);
            socket.ping();
            var ada = new GraphqlClient(gateway, "ada");
            insert(1);
            assertThat(overSocket ? socket.next().toJson() : events.data().toJson())
                    .contains("\"maker\": {\"name\": \"M\"}", "\"mine\": {\"name\": \"M\"}");
            collection("users").updateOne(eq("_id", "ada"), set("maker", 2));
            await().until(() -> ada.send("GET", "/makers", "").body().contains("N"));
            insert(2);
            assertThat(overSocket ? socket.next().toJson() : events.data().toJson())
                    .contains("\"maker\": null", "\"mine\": {\"name\": \"N\"}");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"DELETE", "PATCH"})
    void they_end_at_the_next_event_after_their_app_was_deleted_or_changed(String method) throws Exception {
        try (var gateway = start("change-streams-recheck-ms: 0");
                var other = start("change-streams-recheck-ms: 0");
                var socket = subscribe(gateway, "ada");
                var events = GraphqlEvents.open(gateway, "ada", "live", QUERY)) {
            assertThat(new GraphqlClient(other, "admin")
                            .send(method, "/gql-apps/live", "{\"descriptor.enabled\": false}")
                            .statusCode())
                    .isIn(200, 204);
            await().until(() -> new GraphqlClient(gateway, "ada")
                            .ask("live", "{items{_id}}")
                            .statusCode()
                    == 404);
            insert(1);
            assertThat(socket.closeCode()).isEqualTo(1012);
            requireEnded(events);
        }
    }
}
