package org.restheart.core.tracing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.core.security.TestGateway.encode;
import static org.restheart.testkit.Statuses.assertStatus;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.security.TestGateway;
import org.restheart.core.tracing.OtlpReceiver.Received;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// `Server-Timing`, with and without traces.
@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ServerTimingTest {
    private static final String HEADER = "Server-Timing";

    private final OtlpReceiver collector;
    private final Map<Boolean, TestGateway> gateways = new LinkedHashMap<>();

    ServerTimingTest(TestMongo mongo) throws IOException {
        collector = new OtlpReceiver();
        for (boolean traced : List.of(true, false)) {
            var gateway = TestGateway.startWithData(
                    mongo,
                    "coalescing: {concurrent-commands: 1, header: true},",
                    "tracing: {enabled: %s, endpoint: '%s'}".formatted(traced, collector.url()));
            gateways.put(traced, gateway);
        }
    }

    @BeforeAll
    void fill() {
        for (var gateway : gateways.values()) {
            gateway.addUsers("developer", "user");
            gateway.permit("developer", "path-prefix('/')", "{serverTiming: true, allowWriteMode: true}");
            gateway.permit("user", "path-prefix('/')", "{allowWriteMode: true}");
            assertThat(gateway.as("admin").put("/films", "").statusCode()).isLessThan(300);
            assertThat(gateway.as("admin")
                            .put("/films/ran?wm=upsert", "{\"title\": \"Ran\"}")
                            .statusCode())
                    .isLessThan(300);
        }
    }

    @AfterAll
    void stop() {
        gateways.values().forEach(TestGateway::close);
        collector.close();
    }

    /// In milliseconds.
    private static Map<String, Double> times(HttpResponse<?> answer) {
        var times = new LinkedHashMap<String, Double>();
        for (var metric : answer.headers().firstValue(HEADER).orElseThrow().split(", ")) {
            var parts = metric.split(";dur=");
            times.put(parts[0], Double.valueOf(parts[1]));
        }
        return times;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void callers_whose_permission_says_so_are_told_where_the_time_went(boolean traced) {
        var developer = gateways.get(traced).user("developer");
        for (var path : List.of("/films/ran", "/films?filter=" + encode(TestGateway.slowFilter(10_000)))) {
            long began = System.nanoTime();
            var answer = developer.get(path);
            double whole = (System.nanoTime() - began) / (double) TimeUnit.MILLISECONDS.toNanos(1);
            assertStatus(200, answer);
            var times = times(answer);
            assertThat(times).containsOnlyKeys("auth", "queue", "mongo", "encode");
            times.forEach((part, time) ->
                    assertThat(time > 0 || part.equals("queue")).as(part).isTrue());
            assertThat(times.values().stream().mapToDouble(each -> each).sum()).isLessThan(whole);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void writes_and_errors_have_times_too(boolean traced) {
        var developer = gateways.get(traced).user("developer");
        var written = developer.put("/films/kagemusha?wm=upsert", "{\"title\": \"Kagemusha\"}");
        assertThat(times(written).get("mongo")).isPositive();
        var missing = developer.get("/films/unknown");
        assertStatus(404, missing);
        assertThat(times(missing).get("mongo")).isPositive();
        var slow = times(developer.get("/films?filter=" + encode(TestGateway.slowFilter(100_000))));
        assertThat(slow.get("mongo")).isGreaterThan(slow.get("encode"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nobody_else_is(boolean traced) {
        var gateway = gateways.get(traced);
        for (var client : List.of(gateway.user("user"), gateway.as("admin"))) {
            assertThat(client.get("/films/ran").headers().firstValue(HEADER)).isEmpty();
        }
        var refused = gateway.anonymous().get("/films/ran");
        assertStatus(401, refused);
        assertThat(refused.headers().firstValue(HEADER)).isEmpty();
    }

    /// A response may be sent before the batch has ended that answered it.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_shared_command_counts_for_each_of_its_requests(boolean traced) {
        var gateway = gateways.get(traced);
        var developer = gateway.user("developer");
        await().until(() -> {
            var answers = together(developer, gateway.user("user"));
            answers.stream()
                    .filter(answer -> answer.headers().firstValue(HEADER).isPresent())
                    .forEach(answer -> assertThat(times(answer).get("mongo")).isPositive());
            return answers.stream()
                    .anyMatch(answer -> isShared(answer)
                            && answer.headers().firstValue(HEADER).isPresent());
        });
    }

    private static boolean isShared(HttpResponse<?> answer) {
        return answer.headers()
                .firstValue("X-Coalesced")
                .filter(n -> Integer.parseInt(n) > 1)
                .isPresent();
    }

    private static List<HttpResponse<String>> together(TestClient... clients) {
        var sent = IntStream.range(0, 40)
                .mapToObj(i -> CompletableFuture.supplyAsync(
                        () -> clients[i % clients.length].get("/films/ran"),
                        task -> Thread.ofVirtual().start(task)))
                .toList();
        return sent.stream().map(CompletableFuture::join).toList();
    }

    @Test
    void traces_are_as_without_it() {
        var trace = "%032x".formatted(0xdef001);
        var answer = gateways.get(true)
                .user("developer")
                .with("traceparent", "00-" + trace + "-b7ad6b7169203331-01")
                .get("/films/ran");
        assertStatus(200, answer);
        await().until(() -> collector.trace(trace).stream()
                .map(Received::name)
                .toList()
                .containsAll(List.of("GET /*", "authorize", "wait for batch", "find films", "encode")));
    }

    @Test
    void a_trace_has_the_command_that_was_sent_for_others_too() {
        var gateway = gateways.get(true);
        var developer = gateway.user("developer").with("traceparent", "00-%032x-b7ad6b7169203331-00".formatted(0xdef2));
        for (int i = 0, shared = 0; shared < 10; i++) {
            var trace = "%032x".formatted(0xdef1000 + i);
            var traced = gateway.user("user").with("traceparent", "00-" + trace + "-b7ad6b7169203331-01");
            var answers = together(developer, developer, developer, traced);
            if (isShared(answers.get(3))) {
                shared++;
                await().until(() -> collector.trace(trace).stream()
                        .map(Received::name)
                        .toList()
                        .contains("find films"));
            }
        }
    }

    @Test
    void pages_of_other_origins_may_read_it() {
        var gateway = gateways.get(false);
        assertThat(exposed(gateway.user("developer")
                        .with("Origin", "https://app.example")
                        .get("/films/ran")))
                .contains(HEADER);
        assertThat(exposed(gateway.user("user")
                        .with("Origin", "https://app.example")
                        .get("/films/ran")))
                .doesNotContain(HEADER);
    }

    private static List<String> exposed(HttpResponse<?> answer) {
        return Arrays.asList(answer.headers()
                .firstValue("Access-Control-Expose-Headers")
                .orElse("")
                .split(", "));
    }

    @Test
    void a_permission_says_it_by_true_or_false() {
        var answer = gateways.get(false)
                .as("admin")
                .post(
                        "/acl",
                        "{\"roles\": [\"x\"], \"predicate\": \"path('/x')\", \"mongo\": {\"serverTiming\": \"yes\"}}");
        assertStatus(400, answer);
        assertThat(answer.body()).contains("mongo.serverTiming must be true or false");
    }
}
