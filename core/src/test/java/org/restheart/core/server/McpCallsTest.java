package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.junit.jupiter.api.Test;
import org.restheart.core.routing.Binding;
import org.restheart.core.security.LogLines;
import org.restheart.http.Content;
import org.restheart.http.Lease;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Response;
import org.restheart.http.Withdrawable;
import org.restheart.http.judged.JudgedRequests;
import org.slf4j.LoggerFactory;

/// Threads and faults of calls of the Model Context Protocol.
class McpCallsTest {
    private static final String BY_ID =
            "{\"name\": \"find\", \"arguments\": {\"database\": \"d\", \"collection\": \"c\", \"filter\": {\"_id\":"
                    + " \"x\"}}}";
    private static final String ALL =
            "{\"name\": \"find\", \"arguments\": {\"database\": \"d\", \"collection\": \"c\"}}";

    private static HttpResponse<String> call(JudgedRequests requests, String method, String params) throws Exception {
        var mcp = FaultsOfTranslatorsTest.mcp(requests);
        var service = new FaultsOfTranslatorsTest.Authenticated(mcp, Optional.empty());
        try (var server = TestServer.of(Binding.prefix(service, "/_mcp", false))) {
            return post(server, method, params);
        }
    }

    private static HttpResponse<String> post(TestServer server, String method, String params) throws Exception {
        return FaultsOfTranslatorsTest.post(server, "/_mcp", message(method, params), "application/json");
    }

    private static String message(String method, String params) {
        return "{\"jsonrpc\": \"2.0\", \"id\": 7, \"method\": \"" + method + "\", \"params\": " + params + "}";
    }

    @Test
    void a_fault_of_a_call_by_id_is_reported_and_the_call_is_not_repeated() throws Exception {
        var calls = new AtomicInteger();
        try (var lines = new LogLines()) {
            var response = call(
                    (_, _) -> {
                        calls.incrementAndGet();
                        throw new IllegalStateException("a fault");
                    },
                    "tools/call",
                    BY_ID);
            assertThat(response.body()).contains("-32603").doesNotContain("a fault");
            assertThat(calls).hasValue(1);
            assertThat(lines.all()).anyMatch(line -> line.startsWith("ERROR request ") && line.contains("a fault"));
        }
    }

    /// Documents, and then a fault.
    private static final class Broken implements Content.Source {
        private final byte[] documents;
        private final RuntimeException failure;
        private boolean read;

        Broken(byte[] documents, RuntimeException failure) {
            this.documents = documents;
            this.failure = failure;
        }

        @Override
        public ByteBuffer next() {
            if (read) {
                throw failure;
            }
            read = true;
            return ByteBuffer.wrap(documents);
        }

        @Override
        public void close() {}
    }

    @Test
    void a_fault_while_documents_are_read_is_logged() throws Exception {
        for (var documents : List.of(
                new byte[1], RawBsonDocument.parse("{_id: 1}").getByteBuffer().array())) {
            try (var lines = new LogLines()) {
                var response = call(
                        (_, _) -> Response.status(200)
                                .with(
                                        "application/bson",
                                        new Content.Streamed(
                                                new Broken(documents, new IllegalStateException("a fault")),
                                                100,
                                                Lease.CONSTANT)),
                        "tools/call",
                        ALL);
                assertThat(response.body()).contains(documents.length == 1 ? "broke off" : "\"capped\": [\"time\"]");
                assertThat(lines.all())
                        .anyMatch(line -> line.matches("WARN request \\S+: the result of find broke off"));
            }
        }
    }

    /// A pipeline may fail for a later document: that is no fault, and the documents before are no result.
    @Test
    void what_mongodb_refuses_while_documents_are_read_is_told() throws Exception {
        var refusals = Map.of(ProblemCode.BAD_REQUEST, "can't $divide by zero", ProblemCode.QUERY_TIMED_OUT, "late");
        for (var refusal : refusals.entrySet()) {
            var failure = new ProblemException(refusal.getKey(), refusal.getValue());
            var buffer = RawBsonDocument.parse("{_id: 1}").getByteBuffer();
            var document = Arrays.copyOf(buffer.array(), buffer.remaining());
            try (var lines = new LogLines()) {
                var response = call(
                        (_, _) -> Response.status(200)
                                .with(
                                        "application/bson",
                                        new Content.Streamed(new Broken(document, failure), 100, Lease.CONSTANT)),
                        "tools/call",
                        ALL);
                assertThat(response.body())
                        .contains(
                                refusal.getKey() == ProblemCode.QUERY_TIMED_OUT
                                        ? "\"capped\": [\"time\"]"
                                        : "can't $divide by zero\"}], \"isError\": true");
                assertThat(lines.all()).noneMatch(line -> line.startsWith("WARN "));
            }
        }
    }

    /// An outcome that is not there until it is withdrawn.
    private static final class Withdrawn extends CompletableFuture<Response.Ready> implements Withdrawable {
        @Override
        public void awaitedBy(Waiter waiter) {
            delayedExecutor(50, TimeUnit.MILLISECONDS).execute(() -> {
                if (!isDone()) {
                    waiter.withdrawIfGone(() -> cancel(false));
                    awaitedBy(waiter);
                }
            });
        }
    }

    @Test
    void a_client_that_leaves_while_its_call_by_id_waits_frees_its_place_and_is_audited() throws Exception {
        var asked = new AtomicInteger();
        var document = BsonDocument.parse("{_id: 'x'}");
        JudgedRequests requests = (_, _) -> asked.getAndIncrement() == 0
                ? Response.later(new Withdrawn(), same -> same)
                : Response.status(200).saying(document);
        var mcp = FaultsOfTranslatorsTest.mcp(requests);
        var service = new FaultsOfTranslatorsTest.Authenticated(mcp, Optional.empty());
        try (var lines = new LogLines();
                var server = TestServer.of(Binding.prefix(service, "/_mcp", false))) {
            try (var socket = new Socket(
                    server.listener().address().getAddress(),
                    server.listener().address().getPort())) {
                var body = message("tools/call", BY_ID);
                socket.getOutputStream()
                        .write(("POST /_mcp HTTP/1.1\r\n"
                                        + "Host: localhost\r\n"
                                        + "Content-Type: application/json\r\n"
                                        + "Content-Length: "
                                        + body.length() + "\r\n\r\n" + body)
                                .getBytes(StandardCharsets.US_ASCII));
                await().until(() -> asked.get() == 1);
                assertThat(post(server, "tools/call", BY_ID).body()).contains("more than 1 calls at a time");
            }
            await().untilAsserted(
                            () -> assertThat(lines.all()).anyMatch(line -> line.contains("\"outcome\": \"gone\"")));
            await().untilAsserted(() ->
                    assertThat(post(server, "tools/call", BY_ID).body()).contains("Returned 1 document of"));
        }
    }

    /// The log may block.
    @Test
    void refusals_and_calls_by_id_are_not_logged_by_io_threads() throws Exception {
        JudgedRequests requests = (_, _) -> Response.status(200).saying(BsonDocument.parse("{_id: 'x'}"));
        for (var params : List.of("[\"find\"]", BY_ID)) {
            assertThat(virtualThreadsThatLog(requests, params)).containsExactly(true);
        }
    }

    /// For each line whether the thread that logs it is a virtual one.
    private static List<Boolean> virtualThreadsThatLog(JudgedRequests requests, String params) throws Exception {
        var audit = (Logger) LoggerFactory.getLogger("org.restheart.audit");
        var threads = new CopyOnWriteArrayList<Boolean>();
        var lines = new AppenderBase<ILoggingEvent>() {
            @Override
            protected void append(ILoggingEvent event) {
                threads.add(Thread.currentThread().isVirtual());
            }
        };
        lines.start();
        var before = audit.getLevel();
        audit.setLevel(Level.INFO);
        audit.addAppender(lines);
        try {
            assertThat(call(requests, "tools/call", params).statusCode()).isLessThan(500);
            return threads;
        } finally {
            audit.detachAppender(lines);
            audit.setLevel(before);
        }
    }
}
