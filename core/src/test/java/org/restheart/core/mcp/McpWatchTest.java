package org.restheart.core.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.core.mcp.McpClient.documents;
import static org.restheart.core.mcp.McpClient.error;
import static org.restheart.core.mcp.McpClient.isError;
import static org.restheart.core.mcp.McpClient.text;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.model.ReplaceOptions;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.core.security.TestGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Waiting for changes over the Model Context Protocol.
@WithMongo
class McpWatchTest {
    @AutoClose
    private static TestGateway gateway;

    private static String db;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "mcp: {enabled: true, calls-per-minute: 100000, concurrent-calls: 100}\n");
        db = gateway.database().getName();
        gateway.permit("{_id: 1, roles: ['editor'], predicate: \"method(GET) and path-prefix('/watched')\", mongo:"
                + " {readFilter: {owner: '@user._id'}, projectResponse: {secret: 0}}}");
        assertStatus(
                201,
                gateway.as("admin")
                        .put(
                                "/watched",
                                "{\"streams\": [{\"uri\": \"all\", \"stages\": [], \"applyReadFilter\": true,"
                                        + " \"applyProjection\": true}]}"));
    }

    private static String arguments(String more) {
        return "{\"database\": \"%s\", \"collection\": \"watched\", \"stream\": \"all\", \"max-seconds\": 2%s}"
                .formatted(db, more);
    }

    private static BsonDocument watch(String who, String more) {
        var result = new McpClient(gateway.as(who)).call("watch", arguments(more));
        assertThat(isError(result)).as(result.toJson()).isFalse();
        return result;
    }

    private static String next(BsonDocument result) {
        return result.getDocument("structuredContent").getString("next").getValue();
    }

    private static List<Integer> ids(BsonDocument result) {
        return documents(result).stream()
                .map(event -> event.getDocument("documentKey").getInt32("_id").getValue())
                .toList();
    }

    private static void insert(int id, String owner) {
        gateway.collection("watched")
                .insertOne(
                        BsonDocument.parse("{owner: '%s', secret: 'hidden-%d', text: '</data-x>'}".formatted(owner, id))
                                .append("_id", new BsonInt32(id)));
    }

    @Test
    void no_event_is_lost_or_repeated_between_calls() {
        for (var who : new String[] {"ada", "admin"}) {
            int base = who.equals("ada") ? 1_000 : 2_000;
            var first = watch(who, "");
            assertThat(documents(first)).isEmpty();
            insert(base + 1, "ada");
            insert(base + 2, "ada");
            var second = watch(who, ", \"max-events\": 1, \"after\": \"" + next(first) + "\"");
            assertThat(ids(second)).containsExactly(base + 1);
            insert(base + 3, "ada");
            var third = watch(who, ", \"after\": \"" + next(second) + "\"");
            assertThat(ids(third)).containsExactly(base + 2, base + 3);
            var fourth = watch(who, ", \"after\": \"" + next(third) + "\"");
            assertThat(documents(fourth)).isEmpty();
            insert(base + 4, "ada");
            var fifth = watch(who, ", \"after\": \"" + next(fourth) + "\"");
            assertThat(ids(fifth)).containsExactly(base + 4);
        }
    }

    @Test
    void a_place_that_is_none_any_more_is_called_as_the_argument_is() {
        var next = next(watch("ada", ""));
        var keys = gateway.collection("_properties");
        var key = Objects.requireNonNull(
                keys.findOneAndDelete(BsonDocument.parse("{_id: '_resume_tokens'}"))); // tokens cannot be read any more
        var result = new McpClient(gateway.as("ada")).call("watch", arguments(", \"after\": \"" + next + "\""));
        assertThat(isError(result)).isTrue();
        assertThat(text(result)).isEqualTo("'after' is no place in this stream: call without it");
        keys.replaceOne(BsonDocument.parse("{_id: '_resume_tokens'}"), key, new ReplaceOptions().upsert(true));
    }

    @Test
    void only_a_refused_place_is_reported_as_one() {
        var admin = new McpClient(gateway.as("admin"));
        var changing = arguments("").replace("\"watched\"", "\"changing\"");
        var declared = "{\"streams\": [{\"uri\": \"all\", \"stages\": [%s]}]}";
        assertStatus(201, gateway.as("admin").put("/changing", declared.formatted("")));
        var next = next(admin.call("watch", changing));
        var needsVariable = "{\"$match\": {\"fullDocument.x\": {\"$var\": \"x\"}}}";
        assertStatus(200, gateway.as("admin").patch("/changing", declared.formatted(needsVariable)));
        var result = admin.call("watch", changing.replace("}", ", \"after\": \"" + next + "\"}"));
        assertThat(isError(result)).isTrue();
        assertThat(text(result)).contains("variable x not bound");
    }

    @Test
    void a_stream_that_is_not_declared_is_told() {
        var result =
                new McpClient(gateway.as("ada")).call("watch", arguments("").replace("\"all\"", "\"al\""));
        assertThat(isError(result)).isTrue();
        assertThat(text(result)).contains("declares none with the stream \"al\"; list-collections names");
    }

    @Test
    void events_come_while_a_call_waits_within_the_rule_and_the_fence() {
        var waiting = CompletableFuture.supplyAsync(() -> new McpClient(gateway.as("ada"))
                .call("watch", arguments(", \"max-events\": 2").replace("\"max-seconds\": 2", "\"max-seconds\": 50")));
        var id = new AtomicInteger(3_000);
        await().pollInterval(Duration.ofMillis(100)).until(() -> {
            insert(id.incrementAndGet(), "bob");
            insert(id.incrementAndGet(), "ada");
            return waiting.isDone();
        });
        var result = waiting.join();
        assertThat(documents(result)).hasSize(2);
        assertThat(result.toJson()).doesNotContain("hidden").doesNotContain("bob");
        assertThat(McpClient.data(result).split("</data-", -1)).hasSize(2);
    }

    @Test
    void a_client_that_asks_is_told_of_each_event_while_the_call_waits() {
        insert(4_001, "ada");
        var next = next(watch("ada", ""));
        insert(4_002, "ada");
        insert(4_003, "ada");
        var params = BsonDocument.parse(
                McpClient.parameters("watch", arguments(", \"max-events\": 2, \"after\": \"" + next + "\""), """
                        {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                          "io.modelcontextprotocol/clientCapabilities": {}, "progressToken": "p"}}"""));
        var client = gateway.as("ada")
                .with("MCP-Protocol-Version", "2026-07-28")
                .with("Mcp-Method", "tools/call")
                .with("Mcp-Name", "watch")
                .with("Accept", "application/json, text/event-stream");
        var response = client.post(McpClient.URI, McpClient.message("tools/call", params.toJson()));
        assertThat(response.headers().firstValue("Content-Type")).contains("text/event-stream");
        assertThat(response.headers().firstValue("X-Accel-Buffering")).contains("no");
        var messages = response.body()
                .lines()
                .filter(line -> line.startsWith("data:"))
                .map(line -> BsonDocument.parse(line.substring("data:".length())))
                .toList();
        assertThat(messages.subList(0, 2))
                .containsExactly(
                        BsonDocument.parse("{jsonrpc: '2.0', method: 'notifications/progress', params: {progressToken:"
                                + " 'p', progress: 1}}"),
                        BsonDocument.parse("{jsonrpc: '2.0', method: 'notifications/progress', params: {progressToken:"
                                + " 'p', progress: 2}}"));
        assertThat(messages).hasSize(3);
        assertThat(ids(messages.getLast().getDocument("result"))).containsExactly(4_002, 4_003);
        assertThat(gateway.as("ada")
                        .with("MCP-Protocol-Version", "2026-07-28")
                        .with("Mcp-Method", "tools/call")
                        .with("Mcp-Name", "watch")
                        .with("Accept", "application/json")
                        .post(McpClient.URI, McpClient.message("tools/call", params.toJson()))
                        .headers()
                        .firstValue("Content-Type"))
                .as("a client that takes no events")
                .contains("application/json");
    }

    @Test
    void a_position_is_good_for_its_account_and_stream_alone() {
        var next = next(watch("ada", ""));
        var others = new McpClient(gateway.as("admin"))
                .send("tools/call", McpClient.parameters("watch", arguments(", \"after\": \"" + next + "\""), "{}"));
        assertThat(error(others).getInt32("code").getValue()).isEqualTo(-32602);
        var elsewhere = arguments(", \"after\": \"" + next + "\"").replace("\"all\"", "\"other\"");
        var refused =
                new McpClient(gateway.as("ada")).send("tools/call", McpClient.parameters("watch", elsewhere, "{}"));
        assertThat(error(refused).getInt32("code").getValue()).isEqualTo(-32602);
    }

    @Test
    void what_is_not_permitted_or_not_there_is_refused() {
        var bob = new McpClient(gateway.as("bob")).call("watch", arguments(""));
        assertThat(text(bob)).isEqualTo("no such collection, or no permission");
        var missing =
                new McpClient(gateway.as("ada")).call("watch", arguments("").replace("\"all\"", "\"none\""));
        assertThat(isError(missing)).isTrue();
        var names = new ArrayList<>(McpClient.names(
                new McpClient(gateway.as("bob")).result("tools/list", "{}").getArray("tools")));
        assertThat(names).doesNotContain("watch");
        assertThat(McpClient.names(new McpClient(gateway.as("ada"))
                        .result("tools/list", "{}")
                        .getArray("tools")))
                .contains("watch");
    }

    /// A call that tells of its progress is answered at once, and holds its arguments until it ends.
    @Test
    void what_calls_were_sent_with_counts_until_they_end(TestMongo mongo) throws IOException {
        var bounds = "mcp: {enabled: true, calls-per-minute: 100000, concurrent-calls: 100}\n"
                + "core: {max-buffered-content: 4000000}\nconnection-options: {MAX_ENTITY_SIZE: 1000000}\n";
        try (var small = TestGateway.start(mongo, bounds)) {
            assertThat(small.as("admin")
                            .put("/watched", "{\"streams\": [{\"uri\": \"all\", \"stages\": []}]}")
                            .statusCode())
                    .isEqualTo(201);
            var arguments =
                    "{\"database\": \"%s\", \"collection\": \"watched\", \"stream\": \"all\", \"max-seconds\": 50}"
                            .formatted(small.database().getName());
            var message = McpClient.message(
                    "tools/call", McpClient.parameters("watch", arguments, """
                    {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                      "io.modelcontextprotocol/clientCapabilities": {}, "progressToken": "p", "unused": "%s"}}
                    """.formatted("x".repeat(400_000))));
            var client = small.as("admin")
                    .with("Content-Type", "application/json")
                    .with("MCP-Protocol-Version", "2026-07-28")
                    .with("Mcp-Method", "tools/call")
                    .with("Mcp-Name", "watch")
                    .with("Accept", "application/json, text/event-stream");
            var calls = new ArrayList<HttpResponse<InputStream>>();
            try {
                for (int i = 0; i < 10; i++) {
                    calls.add(client.open("POST", McpClient.URI, message));
                }
                assertThat(calls)
                        .extracting(HttpResponse::statusCode)
                        .contains(200, 503)
                        .containsOnly(200, 503);
            } finally {
                for (var call : calls) {
                    call.body().close();
                }
            }
            await().untilAsserted(() -> {
                var again = client.open("POST", McpClient.URI, message);
                again.body().close();
                assertThat(again.statusCode()).as("the others have ended").isEqualTo(200);
            });
        }
    }
}
