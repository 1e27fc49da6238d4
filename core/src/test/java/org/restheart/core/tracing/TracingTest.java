package org.restheart.core.tracing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.restheart.core.Gateway;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.tracing.OtlpReceiver.Received;
import org.restheart.testkit.Patience;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Traces as a collector gets them.
@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TracingTest {
    private static final String PARENT = "b7ad6b7169203331";

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final OtlpReceiver collector;
    private final TestMongo mongo;
    private final Gateway gateway;
    private final String films;

    TracingTest(TestMongo mongo) throws IOException {
        this.mongo = mongo;
        this.films = "/" + mongo.databaseName() + "/films";
        this.collector = new OtlpReceiver();
        this.gateway = start("headers: {Authorization: Bearer of-the-collector}, endpoint: '" + collector.url() + "'");
    }

    /// @param tracing its keys
    private Gateway start(String tracing) {
        return Gateway.start(GatewayConfig.parse("""
                http-listener: {host: 127.0.0.1, port: 0}
                core: {name: node-1}
                mclient: {connection-string: '%s'}
                mongo: {mongo-mounts: [{what: '*', where: /}], coalescing: {concurrent-commands: 1, header: true}}
                mongoRealmAuthenticator: {enabled: false}
                mongoAclAuthorizer: {enabled: false}
                basicAuthMechanism: {enabled: true, authenticator: fileRealmAuthenticator}
                fileRealmAuthenticator: {enabled: true, users: [{userid: ada, password: "s3cret", roles: [admin]}]}
                fullAuthorizer: {enabled: true, authentication-required: true}
                tracing: {enabled: true, %s}
                """.formatted(mongo.connectionString(), tracing)));
    }

    @AfterAll
    void stop() {
        gateway.close();
        collector.close();
    }

    @BeforeAll
    void fill() throws Exception {
        send(request("/" + mongo.databaseName()).PUT(BodyPublishers.noBody()));
        send(request(films).PUT(BodyPublishers.noBody()));
        send(request(films + "/ran?wm=upsert").PUT(BodyPublishers.ofString("{\"title\": \"Ran\"}")));
    }

    private HttpRequest.Builder request(String path) {
        return request(gateway, path);
    }

    private static HttpRequest.Builder request(Gateway gateway, String path) {
        return HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + gateway.address().getPort() + path))
                .header("Content-Type", "application/json")
                .header("Authorization", "Basic YWRhOnMzY3JldA==");
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return client.send(request.build(), BodyHandlers.ofString());
    }

    private static String trace(int number) {
        return "%032x".formatted(0xabc000 + number);
    }

    private static String traceparent(String trace, boolean sampled) {
        return "00-" + trace + "-" + PARENT + (sampled ? "-01" : "-00");
    }

    private List<Received> awaitTrace(String trace, String... names) {
        await().until(() ->
                collector.trace(trace).stream().map(Received::name).toList().containsAll(List.of(names)));
        return collector.trace(trace);
    }

    @Test
    void keys_in_paths_are_not_exported() throws Exception {
        send(request(films + "/rhk%5Fs3cret").header("traceparent", traceparent(trace(50), true)));
        assertThat(named(awaitTrace(trace(50), "GET /*"), "GET /*").attributes())
                .containsEntry("url.path", "**********");
        mongo.database().getCollection("rhk_s3cret").insertOne(new Document("_id", "a"));
        var collection = films.substring(0, films.lastIndexOf('/')) + "/rhk_s3cret";
        send(request(collection + "/a").header("traceparent", traceparent(trace(51), true)));
        assertThat(awaitTrace(trace(51), "GET /*", "find **********").toString())
                .doesNotContain("s3cret");
    }

    private static Received named(List<Received> spans, String name) {
        return spans.stream()
                .filter(span -> span.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void a_request_continues_its_callers_trace() throws Exception {
        var answer = send(request(films + "/ran").header("traceparent", traceparent(trace(1), true)));
        assertStatus(200, answer);

        var spans = awaitTrace(trace(1), "GET /*", "authorize", "wait for batch", "find films", "encode");
        var request = named(spans, "GET /*");
        assertThat(answer.headers().firstValue("traceresponse"))
                .contains("00-" + trace(1) + "-" + request.id() + "-01");
        assertThat(request.parent()).isEqualTo(PARENT);
        assertThat(request.kind()).isEqualTo(2); // server
        assertThat(request.attributes())
                .containsEntry("http.request.method", "GET")
                .containsEntry("url.path", films + "/ran")
                .containsEntry("http.response.status_code", "200");
        assertThat(spans).filteredOn(span -> !span.equals(request)).allSatisfy(span -> {
            assertThat(span.parent()).isEqualTo(request.id());
            assertThat(span.began()).isBetween(request.began(), span.ended());
        });
        var command = named(spans, "find films");
        assertThat(command.kind()).isEqualTo(3); // client
        assertThat(command.attributes())
                .containsEntry("db.system.name", "mongodb")
                .containsEntry("db.namespace", mongo.databaseName())
                .containsEntry("db.collection.name", "films")
                .containsEntry("db.operation.name", "find");
        assertThat(collector.resources())
                .anySatisfy(resource -> assertThat(resource)
                        .containsEntry("service.name", "restheart")
                        .containsEntry("service.instance.id", "node-1"));
        assertThat(collector.credentials()).contains("Bearer of-the-collector");
    }

    @Test
    void requests_that_share_a_command_are_linked_to_it_and_it_to_them() {
        for (int round = 0; ; round++) {
            int first = 1_000 * (round + 1);
            var answers = IntStream.range(first, first + 64)
                    .mapToObj(number -> client.sendAsync(
                            request(films)
                                    .POST(BodyPublishers.ofString("{\"n\": " + number + "}"))
                                    .header("traceparent", traceparent(trace(number), true))
                                    .build(),
                            BodyHandlers.ofString()))
                    .toList();
            answers.forEach(CompletableFuture::join);
            var ids = IntStream.range(first, first + 64)
                    .mapToObj(TracingTest::trace)
                    .toList();
            await().until(() -> ids.stream()
                    .allMatch(id -> collector.trace(id).stream()
                            .anyMatch(span -> span.name().equals("POST /*"))));
            var shared = collector.spans().stream()
                    .filter(span -> ids.contains(span.trace())
                            && span.name().equals("shared command")
                            && span.attributes().containsKey("restheart.requests"))
                    .findFirst();
            if (shared.isEmpty()) {
                assertThat(round).isLessThan(20);
                continue; // each was alone
            }
            var command = shared.get();
            int requests = Integer.parseInt(command.attributes().get("restheart.requests"));
            assertThat(requests).isGreaterThan(1);
            assertThat(command.links()).hasSize(requests - 1);
            assertThat(collector.trace(command.trace()))
                    .anySatisfy(span -> assertThat(span.id()).isEqualTo(command.parent()))
                    .anySatisfy(span -> {
                        assertThat(span.name()).isEqualTo("insert films");
                        assertThat(span.parent()).isEqualTo(command.id());
                    });
            for (var other : command.links()) {
                var request = collector.spans().stream()
                        .filter(span -> span.id().equals(other))
                        .findFirst()
                        .orElseThrow();
                assertThat(request.name()).isEqualTo("POST /*");
                assertThat(collector.trace(request.trace()))
                        .anySatisfy(span -> assertThat(span.links()).containsExactly(command.id()))
                        .anySatisfy(span -> assertThat(span.name()).isEqualTo("wait for batch"));
            }
            return;
        }
    }

    @Test
    void nothing_of_queries_documents_and_credentials_is_exported() throws Exception {
        send(request(films + "?filter=%7B%22title%22%3A%22Kagemusha%22%7D&token=t0ken")
                .header("traceparent", traceparent(trace(2), true)));
        send(request(films)
                .POST(BodyPublishers.ofString("{\"_id\": \"ran\", \"title\": \"Kagemusha\"}"))
                .header("traceparent", traceparent(trace(3), true)));
        send(request(films + "/_aggrs/none?avars=%7B%22x%22%3A%22Kagemusha%22%7D")
                .header("traceparent", traceparent(trace(4), true)));
        awaitTrace(trace(2), "GET /*", "find films", "encode");
        awaitTrace(trace(3), "POST /*", "insert films");
        awaitTrace(trace(4), "GET /*");
        assertThat(collector.spans().toString())
                .doesNotContain("Kagemusha", "t0ken", "s3cret", "YWRhOnMzY3JldA", "filter", "avars");
    }

    @Test
    void callers_decide_whether_they_are_traced() throws Exception {
        var answer = send(request(films + "/ran").header("traceparent", traceparent(trace(5), false)));
        assertThat(answer.headers().firstValue("traceresponse").orElseThrow())
                .startsWith("00-" + trace(5))
                .endsWith("-00");
        send(request(films + "/ran").header("traceparent", traceparent(trace(6), true)));
        awaitTrace(trace(6), "GET /*");
        assertThat(collector.trace(trace(5))).isEmpty();
    }

    @Test
    void a_ratio_of_zero_leaves_all_others_out() throws Exception {
        try (var silent = start("sampling-ratio: 0, callers-decide: false, endpoint: '" + collector.url() + "'")) {
            send(request(silent, films + "/ran").header("traceparent", traceparent(trace(7), true)));
        }
        send(request(films + "/ran").header("traceparent", traceparent(trace(8), true)));
        awaitTrace(trace(8), "GET /*");
        assertThat(collector.trace(trace(7))).isEmpty();
    }

    @Test
    void requests_do_not_notice_that_the_collector_is_away() throws Exception {
        try (var failing = new OtlpReceiver()) {
            failing.answer(503);
            long began = System.nanoTime();
            try (var lonely = start("max-queued-spans: 8, export-timeout-ms: 300, endpoint: '" + failing.url() + "'")) {
                for (int i = 0; i < 100; i++) {
                    assertStatus(200, send(request(lonely, films + "/ran")));
                }
                await().until(() -> failing.requests() > 0);
                await().untilAsserted(() -> assertThat(
                                send(request(lonely, "/metrics/gateway")).body())
                        .containsPattern("gateway_spans_total\\{outcome=\"lost\",?} [1-9]")
                        .containsPattern("gateway_spans_total\\{outcome=\"sent\",?} 0"));
            }
            assertThat(Duration.ofNanos(System.nanoTime() - began))
                    .isLessThan(Patience.relative(Duration.ofSeconds(30)));
        }
    }

    @Test
    void results_that_are_streamed_are_traced_to_their_end() throws Exception {
        var many = "[" + "{\"text\": \"%s\"},".formatted("x".repeat(10_000)).repeat(499) + "{\"n\": 1}]";
        send(request("/" + mongo.databaseName() + "/many").PUT(BodyPublishers.noBody()));
        send(request("/" + mongo.databaseName() + "/many").POST(BodyPublishers.ofString(many)));
        var answer = send(request("/" + mongo.databaseName() + "/many?pagesize=1000")
                .header("traceparent", traceparent(trace(9), true)));
        assertThat(answer.body()).hasSizeGreaterThan(4 << 20);
        var spans = awaitTrace(trace(9), "GET /*", "stream");
        assertThat(named(spans, "stream").parent())
                .isEqualTo(named(spans, "GET /*").id());
    }
}
