package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.core.mcp.McpClient;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Equal queries that wait at the same time are one command, whichever services they come by.
@WithMongo
class FindsTogetherTest {
    private static final int DOCUMENTS = 150;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    /// A busy machine may keep a request from arriving in time.
    private static final int ROUNDS = 5;

    /// Takes a millisecond or more for a document.
    private static final String FILTER = """
            {"n": {"$gte": 0}, "$expr": {"$gt": [{"$reduce": {"input": {"$range": [0, 30000]}, "initialValue": 0,
              "in": {"$add": ["$$value", {"$size": {"$range": [0, 2]}}]}}}, -1]}}""";

    private static final String SORT = "{\"n\": 1}";
    private static final Executor THREADS = task -> Thread.ofVirtual().start(task);

    private static TestMongo mongo;
    private static Services services;
    private static Services hasty;

    @BeforeAll
    static void start(TestMongo started) {
        mongo = started;
        services = Services.start(30_000);
        hasty = Services.start(100);
    }

    @AfterAll
    static void stop() {
        services.gateway().close();
        hasty.gateway().close();
    }

    /// The services of one gateway, asked for the same documents.
    private record Services(TestGateway gateway) {
        /// @param limit of tools, in milliseconds
        static Services start(int limit) {
            var gateway = TestGateway.startWithData(
                    mongo, "coalescing: {concurrent-commands: 1, header: true},", """
                    dataApi: {enabled: true}
                    mcp: {enabled: true, calls-per-minute: 100000, concurrent-calls: 100, time-limit: %d}
                    graphql: {enabled: true, uri: /graphql, db: $db, collection: gql-apps}
                    """.formatted(limit));
            gateway.insert("gql-apps", """
                    {_id: 'docs', schema: 'type Doc { _id: String } type Query { docs(d: BsonDocument): [Doc] }',
                      mappings: {Query: {docs: {db: '%s', collection: 'c', allowOperators: true, find: {_$arg: 'd'},
                        sort: {n: 1}, limit: 5}}}}
                    """.formatted(gateway.database().getName()));
            for (int i = 0; i < DOCUMENTS; i++) {
                gateway.insert("c", "{_id: 'doc-%d', n: %d}".formatted(i, i));
            }
            return new Services(gateway);
        }

        TestClient admin() {
            return gateway.as("admin");
        }

        String arguments(String collection, int limit) {
            return "{\"database\": \"%s\", \"collection\": \"%s\", \"filter\": %s, \"sort\": %s, \"limit\": %d}"
                    .formatted(gateway.database().getName(), collection, FILTER, SORT, limit);
        }

        HttpResponse<String> rest() {
            var filter = TestGateway.encode(FILTER);
            return admin().get("/c?pagesize=5&filter=" + filter + "&sort=" + TestGateway.encode(SORT));
        }

        String data() {
            var arguments = BsonDocument.parse(arguments("c", 5)).append("dataSource", new BsonString("x"));
            return admin().post("/app/x/endpoint/data/v1/action/find", arguments.toJson())
                    .body();
        }

        /// Asks for one document more than it shows, to know whether there is one.
        String tool() {
            return new McpClient(admin()).call("find", arguments("c", 4)).toJson();
        }

        String graphql() {
            var body = "{\"query\": \"query($d: BsonDocument){docs(d: $d){_id}}\", \"variables\": {\"d\": %s}}";
            return admin().post("/graphql/docs", body.formatted(FILTER)).body();
        }

        /// One request, on which MongoDB works when this returns.
        CompletableFuture<HttpResponse<String>> first() {
            await().atMost(TIMEOUT).until(() -> !isRunning());
            var first = begin(this::rest);
            await().atMost(TIMEOUT).until(this::isRunning);
            return first;
        }

        private boolean isRunning() {
            var mine = new Document("ns", gateway.database().getName() + ".c");
            return mongo.client()
                            .getDatabase("admin")
                            .aggregate(List.of(
                                    new Document("$currentOp", new Document("idleConnections", false)),
                                    new Document("$match", mine)))
                            .first()
                    != null;
        }

        /// Begins a new profile, since it holds the latest commands only.
        void profile() {
            profile(0);
            gateway.collection("system.profile").drop();
            profile(2);
        }

        void profile(int level) {
            gateway.database().runCommand(new BsonDocument("profile", new BsonInt32(level)));
        }

        long commands(String collection) {
            return gateway.collection("system.profile")
                    .countDocuments(new BsonDocument("command.find", new BsonString(collection)));
        }
    }

    private static <T> CompletableFuture<T> begin(Supplier<T> request) {
        return CompletableFuture.supplyAsync(request, THREADS);
    }

    @Test
    void finds_share_a_command_whichever_service_they_come_by() {
        long commands = 0;
        for (int round = 0; round < ROUNDS && commands != 2; round++) {
            services.profile();
            var first = services.first();
            var rest = begin(services::rest);
            var others = List.of(begin(services::data), begin(services::tool), begin(services::graphql));
            assertStatus(200, first.join());
            assertThat(rest.join().body()).isEqualTo(first.join().body()).contains("doc-0", "doc-4");
            for (var other : others) {
                assertThat(other.join()).contains("doc-0", "doc-3").doesNotContain("doc-5");
            }
            commands = services.commands("c");
            if (commands == 2) {
                assertThat(rest.join().headers().firstValue("X-Coalesced")).contains("4");
            }
        }
        services.profile(0);
        assertThat(commands).isEqualTo(2);
    }

    @Test
    void each_waits_no_longer_than_its_own_limit() {
        var first = hasty.first();
        var rest = begin(hasty::rest);
        assertThat(hasty.tool()).contains("it took too long");
        assertStatus(200, first.join());
        assertStatus(200, rest.join());
        assertThat(rest.join().body()).contains("doc-4");
    }

    @Test
    void tools_share_commands_with_each_other() {
        for (int i = 0; i < 3; i++) {
            services.gateway().insert("few", "{_id: 'doc-%d', n: %d}".formatted(i, i));
        }
        var arguments = services.arguments("few", 2).replace("30000", "300000");
        long commands = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS && commands > 2; round++) {
            services.profile();
            var calls = IntStream.range(0, 6)
                    .mapToObj(_ -> begin(() -> new McpClient(services.admin()).call("find", arguments)))
                    .toList();
            for (var call : calls) {
                assertThat(McpClient.documents(call.join())).hasSize(2);
            }
            commands = services.commands("few");
        }
        services.profile(0);
        assertThat(commands).isBetween(1L, 2L);
    }
}
