package org.restheart.core.observation;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.config.LoggingConfig;
import org.restheart.core.logging.LogSetup;
import org.restheart.http.Body;
import org.restheart.http.Connection;
import org.restheart.http.Fields;
import org.restheart.http.Lease;
import org.restheart.http.Method;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.access.Account;
import org.restheart.http.access.Caller;
import org.restheart.http.attribute.Attributes;
import org.slf4j.LoggerFactory;

class RequestLogTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger(RequestLog.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>() {
        @Override
        protected void append(ILoggingEvent event) {
            event.prepareForDeferredProcessing(); // its context is about to change
            super.append(event);
        }
    };

    @BeforeEach
    void listen() {
        lines.start();
        logger.setLevel(Level.INFO);
        logger.setAdditive(false);
        logger.addAppender(lines);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(lines);
        logger.setAdditive(true);
        logger.setLevel(null);
    }

    private List<String> logged(String yaml, Observation... observations) {
        var config = GatewayConfig.parse("http-listener: {port: 0}\nlogging: " + yaml)
                .logging();
        try (var log = new RequestLog(config, Set.of("x-robot"), Map.of())) {
            for (var observation : observations) {
                log.completed(observation);
            }
        }
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    private static Observation get(String path, String query, Fields headers, Optional<Account> account) {
        var request = new Request(
                "abc-15743",
                Method.GET,
                RequestPath.parse(path),
                Query.parse(query, 100),
                headers,
                Body.EMPTY,
                new Connection(
                        "http",
                        "HTTP/1.1",
                        "host:8080",
                        new InetSocketAddress("10.0.0.7", 53006),
                        new InetSocketAddress("10.0.0.1", 8080)),
                Caller.ANONYMOUS,
                Attributes.NONE,
                Lease.CONSTANT,
                true);
        return new Observation(
                request,
                request.method().name(),
                200,
                Fields.of("ETag", "1"),
                42,
                TimeUnit.MILLISECONDS.toNanos(9),
                account,
                Optional.empty());
    }

    private static Observation get(String path, String query) {
        return get(path, query, Fields.NONE, Optional.empty());
    }

    @Test
    void a_line_contains_the_caller_the_request_and_its_outcome() {
        var ada = new Account("ada", List.of("editor", "admin"), new BsonDocument());
        assertThat(logged("{no-colors: true}", get("/orders", "page=2", Fields.NONE, Optional.of(ada))))
                .containsExactly("[trace-id: 5743] ⚬ GET http://host:8080/orders?page=2 from /10.0.0.7:53006"
                        + " => status=200 elapsed=9ms contentLength=42 username=ada roles=[editor, admin]");
    }

    @Test
    void an_anonymous_caller_has_no_name() {
        assertThat(logged("{no-colors: true}", get("/orders", "")))
                .singleElement()
                .asString()
                .endsWith("contentLength=42");
    }

    @Test
    void secrets_in_queries_are_masked() {
        assertThat(
                        logged(
                                "{}",
                                get(
                                        "/x",
                                        "token=xyz1&keys=xyz2&access_token=xyz3&apiKey=xyz4&page=xyz5&t%6Fken=xyz6&Password=xyz7")))
                .singleElement()
                .asString()
                .contains("xyz2", "xyz5", "token=**********&keys")
                .doesNotContain("xyz1", "xyz3", "xyz4", "xyz6", "xyz7");
    }

    @Test
    void nothing_a_client_sends_begins_a_new_line() {
        var forger = new Account("a\r\nb\u2028c", List.of("x\ny"), new BsonDocument());
        assertThat(logged(
                        "{tracing-headers: [trace]}",
                        get("/x%0Ay", "q=\u0085", Fields.of("trace", "1\n2"), Optional.of(forger))))
                .singleElement()
                .asString()
                .hasLineCount(1)
                .contains("[trace: 1\\u000a2]", "username=a\\u000d\\u000ab\\u2028c", "roles=[x\\u000ay]");
    }

    @Test
    void tracing_headers_replace_our_own_id_and_are_context() {
        assertThat(logged(
                        "{tracing-headers: [traceparent, x-b3-traceid]}",
                        get("/x", "", Fields.of("x-b3-traceid", "7", "traceparent", "00-ab"), Optional.empty())))
                .singleElement()
                .asString()
                .startsWith("[traceparent: 00-ab, x-b3-traceid: 7] ⚬");
        assertThat(lines.list.getFirst().getMDCPropertyMap()).containsEntry("traceparent", "00-ab");
    }

    @Test
    void excluded_paths_are_logged_once() {
        assertThat(logged(
                        "{requests-log-exclude-patterns: [/ping, '/a*z'], requests-log-exclude-interval: 0}",
                        get("/ping", ""),
                        get("/ping", ""),
                        get("/ping/x", ""),
                        get("/a/b/z", ""),
                        get("/az", "")))
                .extracting(line -> line.replaceAll(".*8080(\\S+) .*", "$1"))
                .containsExactly("/ping", "/ping/x", "/a/b/z");
    }

    @Test
    void a_dump_shows_no_credentials_in_other_headers_either() {
        var headers = Fields.of(
                "X-Api-Key", "s3cret-1",
                "X-Auth-Token", "s3cret-2",
                "X-Client-Secret", "s3cret-3",
                "X-Robot", "s3cret-5",
                "X-Any", "rhk_s3cret-6",
                "Referer", "https://app.example/cb?code=s3cret-4&page=2");
        assertThat(logged(
                        "{requests-log-mode: 2, tracing-headers: [X-Any]}",
                        get(
                                "/x",
                                "q=rhk_s3cret-7&t=1&rhk_s3cret-8&=rhk_s3cret-9&p=rhk%5Fs3cret-10",
                                headers,
                                Optional.empty())))
                .singleElement()
                .asString()
                .contains("X-Api-Key: **********", "X-Robot: **********", "q=**********&t=1")
                .contains("https://app.example/cb?code=**********&page=2")
                .doesNotContain("s3cret");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rhk_s3cret", "rhk%5Fs3cret", "%72%68%6b_s3cret"})
    void a_key_in_a_path_is_masked_in_text_and_in_fields(String key) {
        assertThat(logged("{log-format: json}", get("/x/" + key, "")))
                .singleElement()
                .asString()
                .doesNotContain("s3cret");
        assertThat(lines.list.getFirst().getKeyValuePairs().toString())
                .contains("path=")
                .doesNotContain("s3cret");
    }

    @Test
    void a_dump_shows_headers_but_no_credentials() {
        var headers = Fields.of("Authorization", "Basic c2VjcmV0", "Cookie", "sid=c2VjcmV0", "Accept", "text/x");
        assertThat(logged("{requests-log-mode: 2}", get("/x", "", headers, Optional.empty())))
                .singleElement()
                .asString()
                .contains("request Accept: text/x", "request Authorization: **********", "response ETag: 1")
                .doesNotContain("c2VjcmV0");
    }

    @Test
    void the_audit_log_says_how_many_lines_are_missing() throws Exception {
        var begun = new CountDownLatch(1);
        var over = new CountDownLatch(1);
        var slow = new ListAppender<ILoggingEvent>() {
            @Override
            protected void append(ILoggingEvent event) {
                begun.countDown();
                try {
                    over.await();
                } catch (InterruptedException _) {
                    Thread.currentThread().interrupt();
                }
                super.append(event);
            }
        };
        var audit = (Logger) LoggerFactory.getLogger(LogSetup.AUDIT);
        audit.setAdditive(false);
        audit.setLevel(Level.INFO);
        audit.addAppender(slow);
        slow.start();
        try (var log = new RequestLog.RequestAuditLog(LoggingConfig.Audit.ALL)) {
            log.completed(get("/x", ""));
            begun.await();
            for (int i = 0; i < 8_192 + 7; i++) { // more than wait at once
                log.completed(get("/x", ""));
            }
            over.countDown();
            assertThat(log.lost()).isEqualTo(7);
        } finally {
            audit.detachAppender(slow);
            audit.setAdditive(true);
            audit.setLevel(null);
        }
        assertThat(slow.list).hasSize(1 + 8_192 + 1);
        assertThat(slow.list)
                .filteredOn(event -> event.getFormattedMessage().contains("\"event\":\"lost\",\"lines\":7}"))
                .hasSize(1);
    }
}
