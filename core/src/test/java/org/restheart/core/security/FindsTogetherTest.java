package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.core.mcp.McpClient;
import org.restheart.testkit.Patience;
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
          "in": {"$add": ["$$value", {"$size": {"$range": [0, 2]}}]}}}, -1]}}\
        """;

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
            return page("application/json");
        }

        HttpResponse<String> page(String mediaType) {
            var filter = TestGateway.encode(FILTER);
            return admin().with("Accept", mediaType)
                    .get("/c?pagesize=5&filter=" + filter + "&sort=" + TestGateway.encode(SORT));
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
            Patience.within(TIMEOUT).until(() -> !isRunning());
            var first = begin(this::rest);
            Patience.within(TIMEOUT).until(this::isRunning);
            return first;
        }

        private boolean isRunning() {
            var mine = "{type: 'op', ns: '" + gateway.database().getName() + ".c'}";
            return !TestMongo.operations(mongo.client(), mine).isEmpty();
        }

        /// How many commands read the collection meanwhile.
        int commands(String collection, TestMongo.Action<RuntimeException> action) {
            return TestMongo.profiled(gateway.database(), "{'command.find': '" + collection + "'}", action)
                    .size();
        }
    }

    private static <T> CompletableFuture<T> begin(Supplier<T> request) {
        return CompletableFuture.supplyAsync(request, THREADS);
    }

    @Test
    void finds_share_a_command_whichever_service_they_come_by() {
        int commands = 0;
        var pages = new ArrayList<HttpResponse<String>>();
        for (int round = 0; round < ROUNDS && commands != 2; round++) {
            commands = services.commands("c", () -> {
                var first = services.first();
                var rest = begin(services::rest);
                var others = List.of(begin(services::data), begin(services::tool), begin(services::graphql));
                var exported = Stream.of("application/x-ndjson", "application/bson")
                        .map(format -> begin(() -> services.page(format)))
                        .toList();
                assertStatus(200, first.join());
                pages.add(rest.join());
                exported.forEach(page -> pages.add(page.join()));
                assertThat(rest.join().body()).isEqualTo(first.join().body()).contains("doc-0", "doc-4");
                for (var other : others) {
                    assertThat(other.join()).contains("doc-0", "doc-3").doesNotContain("doc-5");
                }
            });
        }
        assertThat(commands).isEqualTo(2);
        for (var page : pages.subList(pages.size() - 3, pages.size())) {
            assertThat(page.body()).contains("doc-0", "doc-4").doesNotContain("doc-5");
            assertThat(page.headers().firstValue("X-Coalesced")).contains("6");
        }
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
        int commands = 0; // also if MongoDB was too busy to write a line of its profile
        for (int round = 0; round < ROUNDS && (commands < 1 || commands > 2); round++) {
            commands = services.commands("few", () -> {
                var calls = IntStream.range(0, 6)
                        .mapToObj(_ -> begin(() -> new McpClient(services.admin()).call("find", arguments)))
                        .toList();
                for (var call : calls) {
                    assertThat(McpClient.documents(call.join())).hasSize(2);
                }
            });
        }
        assertThat(commands).isBetween(1, 2);
    }
}
