package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.crypto.spec.SecretKeySpec;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.routing.Binding;
import org.restheart.dataapi.DataApiConfig;
import org.restheart.dataapi.DataApiService;
import org.restheart.http.Connection;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.http.access.Account;
import org.restheart.http.access.Caller;
import org.restheart.http.access.CallerScope;
import org.restheart.http.judged.DataCatalog;
import org.restheart.http.judged.DataPaths;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.judged.Permitted;
import org.restheart.http.judged.Permitted.Decision;
import org.restheart.http.judged.RequestKind;
import org.restheart.http.module.PresentedCredential;
import org.restheart.http.push.PushBudget;
import org.restheart.mcp.McpConfig;
import org.restheart.mcp.McpService;
import org.restheart.testkit.TestClient;

/// Services that translate into requests of the data API tell of faults and limits in their own format.
class FaultsOfTranslatorsTest {
    private static final String SECRET = "a detail that nobody should see";
    private static final JudgedRequests BROKEN = (_, _) -> {
        throw new IllegalStateException(SECRET);
    };

    /// The callers for whom catalogs and paths were read.
    private static final List<String> CHARGED = new CopyOnWriteArrayList<>();

    static final DataPaths PATHS = new DataPaths() {
        @Override
        public Optional<String> ofCollection(Connection connection, String database, String collection) {
            CHARGED.add(CallerScope.current());
            return Optional.of("/" + collection);
        }

        @Override
        public Optional<String> ofDatabase(Connection connection, String database) {
            return Optional.of("/");
        }

        @Override
        public List<List<RequestKind.Segment>> collectionPaths(Optional<String> database) {
            return List.of(List.of(RequestKind.Segment.Unknown.ANY));
        }

        @Override
        public Optional<String> ofId(BsonValue id) {
            return id.isString() ? Optional.of(id.asString().getValue()) : Optional.empty();
        }
    };

    private static final DataCatalog CATALOG = new DataCatalog() {
        @Override
        public List<String> databases() {
            CHARGED.add(CallerScope.current());
            throw new IllegalStateException(SECRET);
        }

        @Override
        public List<Entry> collections(String database) {
            throw new IllegalStateException(SECRET);
        }

        @Override
        public Optional<BsonDocument> validator(String database, String collection) {
            return Optional.empty();
        }
    };

    /// The service for requests of an account, of which some are refused before they reach it.
    record Authenticated(Service service, Optional<Problem> refusal) implements Service {
        @Override
        public Request prepare(Request request) {
            return service.prepare(request);
        }

        @Override
        public Optional<Response.Ready> errorResponse(Request request, Problem problem) {
            return service.errorResponse(request, problem);
        }

        @Override
        public boolean startsOnIoThread(Request request) {
            return service.startsOnIoThread(request);
        }

        @Override
        public Response handle(Request request) {
            refusal.ifPresent(problem -> {
                throw problem.raise();
            });
            var account = Caller.of(new Account("ada", List.of("editor"), new BsonDocument()));
            return CallerScope.call("account ada", () -> service.handle(request.with(account)));
        }
    }

    private final SimpleMeterRegistry counted = new SimpleMeterRegistry();

    private HttpResponse<String> dataApi(Optional<Problem> refusal, String accept) throws Exception {
        var config = GatewayConfig.parse("dataApi: {enabled: true, link-base: 'https://log.example/'}\n");
        var service = new DataApiService((DataApiConfig) config.modules().get("dataApi"), BROKEN, PATHS, counted);
        try (var server = TestServer.of(Binding.prefix(new Authenticated(service, refusal), "/app", false))) {
            return post(
                    server,
                    "/app/any/endpoint/data/v1/action/find",
                    "{\"dataSource\": \"x\", \"database\": \"d\", \"collection\": \"c\"}",
                    accept);
        }
    }

    static HttpResponse<String> post(TestServer server, String path, String body, String accept) {
        return TestClient.of(server.listener().address()).with("Accept", accept).post(path, body);
    }

    private static void isError(HttpResponse<String> response, int status, String code) {
        assertStatus(status, response);
        assertThat(response.headers().firstValue("Content-Type")).contains("application/json");
        var error = BsonDocument.parse(response.body());
        assertThat(error.keySet()).containsExactly("error", "error_code", "link");
        assertThat(error.getString("error_code").getValue()).isEqualTo(code);
        assertThat(error.getString("link").getValue()).startsWith("https://log.example/");
    }

    @Test
    void a_fault_is_an_error_of_the_data_api_without_details() throws Exception {
        var response = dataApi(Optional.empty(), "*/*");
        isError(response, 500, "InternalServerError");
        assertThat(response.body()).doesNotContain(SECRET);
        var standard = dataApi(Optional.empty(), "application/problem+json");
        assertStatus(500, standard);
        assertThat(standard.body()).doesNotContain("error_code").doesNotContain(SECRET);
        assertThat(counted.get("data_api_actions")
                        .tag("outcome", "failed")
                        .counter()
                        .count())
                .isEqualTo(2);
    }

    @Test
    void limits_in_front_of_the_data_api_are_its_errors_too() throws Exception {
        for (var code :
                List.of(ProblemCode.TOO_MANY_REQUESTS, ProblemCode.OVERLOADED, ProblemCode.DATABASE_UNAVAILABLE)) {
            var refusal = Problem.of(code, "too much").with("Retry-After", "7");
            var response = dataApi(Optional.of(refusal), "application/ejson");
            isError(response, code.status(), "InternalServerError");
            assertThat(response.headers().allValues("Retry-After")).containsExactly("7");
        }
        isError(
                dataApi(Optional.of(Problem.of(ProblemCode.CONTENT_TOO_LARGE, "too large")), "*/*"),
                413,
                "InvalidParameter");
    }

    static McpService mcp(JudgedRequests requests) {
        var config = (McpConfig) GatewayConfig.parse("mcp: {enabled: true, concurrent-calls: 1}\n")
                .modules()
                .get("mcp");
        var dependencies = new McpService.Dependencies(
                _ -> "http://localhost",
                _ -> new PresentedCredential("ada", "ada", Optional.empty(), Optional.empty()),
                _ -> List.of(),
                (_, _) -> new Permitted(Decision.DEPENDS, List.of()),
                new PushBudget(Long.MAX_VALUE, () -> {}),
                new SecretKeySpec(new byte[32], "HmacSHA256"),
                (_, _) -> true,
                Set.of(),
                true,
                "1");
        return new McpService(config, requests, PATHS, CATALOG, dependencies, new SimpleMeterRegistry());
    }

    @Test
    void what_a_call_reads_on_a_thread_of_its_own_is_charged_to_its_caller() throws Exception {
        CHARGED.clear();
        try (var server =
                TestServer.of(Binding.prefix(new Authenticated(mcp(BROKEN), Optional.empty()), "/_mcp", false))) {
            var watch = "{\"name\": \"watch\", \"_meta\": {\"progressToken\": 1}, \"arguments\":"
                    + " {\"database\": \"d\", \"collection\": \"c\", \"stream\": \"s\"}}";
            for (var params : List.of("{\"name\": \"list-databases\"}", watch)) {
                var message =
                        "{\"jsonrpc\": \"2.0\", \"id\": 7, \"method\": \"tools/call\", \"params\": " + params + "}";
                var response = post(server, "/_mcp", message, "application/json, text/event-stream");
                assertThat(response.body()).contains("-32603");
            }
        }
        assertThat(CHARGED).hasSizeGreaterThan(1).containsOnly("account ada");
    }

    @Test
    void a_fault_is_an_error_of_the_model_context_protocol_with_the_id_of_the_request() throws Exception {
        try (var server =
                TestServer.of(Binding.prefix(new Authenticated(mcp(BROKEN), Optional.empty()), "/_mcp", false))) {
            for (var call : List.of("tools/list", "tools/call")) {
                var response = post(
                        server,
                        "/_mcp",
                        "{\"jsonrpc\": \"2.0\", \"id\": 7, \"method\": \"" + call
                                + "\", \"params\": {\"name\": \"list-databases\"}}",
                        "application/json");
                assertStatus(500, response);
                var message = BsonDocument.parse(response.body());
                assertThat(message.getInt32("id").getValue()).isEqualTo(7);
                var error = message.getDocument("error");
                assertThat(error.getInt32("code").getValue()).isEqualTo(-32603);
                assertThat(error.getString("message").getValue())
                        .matches("the server failed; its log has more about request \\S+")
                        .doesNotContain(SECRET);
            }
        }
    }
}
