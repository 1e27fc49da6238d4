package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoCollection;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.restheart.core.accounts.Security;
import org.restheart.core.filter.ErrorMapping;
import org.restheart.core.filter.Pipeline;
import org.restheart.core.filter.PipelineSettings;
import org.restheart.core.routing.Binding;
import org.restheart.core.routing.InProcessRequests;
import org.restheart.core.routing.Router;
import org.restheart.http.Body;
import org.restheart.http.Content;
import org.restheart.http.ErrorStyle;
import org.restheart.http.Fields;
import org.restheart.http.Method;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.judged.Via;
import org.restheart.mongo.MongoService;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.error.MongoErrors;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.TestRequests;
import org.restheart.testkit.WithMongo;

/// A request that a service makes inside the process is answered and refused as if the client had sent it.
@WithMongo
class JudgedRequestsTest {
    private static final Fields ADA = Fields.of("Authorization", TestClient.basic("ada", "pw"));

    private static TestMongo mongo;

    @BeforeAll
    static void start(TestMongo started) {
        mongo = started;
    }

    /// The filters and services of a gateway over a database of their own, without a socket.
    private static final class Stack implements AutoCloseable {
        private final com.mongodb.client.MongoDatabase database = mongo.client().getDatabase(mongo.newDatabaseName());
        private final BackgroundTasks tasks = new BackgroundTasks();
        private final Security security;
        private final MongoService data;
        private final Router router;

        Stack(List<String> permissions) {
            var config = TestGateway.config(
                    mongo.connectionString(),
                    database.getName(),
                    TestGateway.REALM + "core: {error-bodies: MINIMAL}\n"); // judged requests are told what, not why
            database.getCollection("users")
                    .insertOne(new org.bson.Document("_id", "ada")
                            .append("password", TestGateway.hash("pw"))
                            .append("roles", List.of("editor")));
            permissions.forEach(json -> collection("acl").insertOne(BsonDocument.parse(json)));
            for (int i = 0; i < 8; i++) {
                collection("c")
                        .insertOne(BsonDocument.parse("{_id: %d, owner: '%s', n: %d, secret: %d}"
                                .formatted(i, i % 2 == 0 ? "ada" : "bob", i % 3, i)));
            }
            security = Security.open(config.security(), Optional.of(mongo.client()), tasks);
            data = new MongoService(tasks, config.mongo().orElseThrow(), mongo.client(), new SimpleMeterRegistry());
            var requests = new InProcessRequests();
            var pipeline = new Pipeline(
                    PipelineSettings.of(config),
                    new ErrorMapping(MongoErrors::toProblem),
                    security::securityFilter,
                    binding -> security.securityFilter(binding)::judge,
                    Optional.empty());
            router = new Router(Stream.of(
                            Binding.prefix(data, "/", true).behind(security.guards(data.forbiddenOperators())),
                            Binding.prefix(new Translator(requests), "/_translate", false))
                    .map(pipeline::assemble)
                    .toList());
            requests.connect(router, security::securityFilter);
        }

        MongoCollection<BsonDocument> collection(String name) {
            return database.getCollection(name, BsonDocument.class);
        }

        Answer send(Command command) {
            return answer(command.method(), command.target(), command.body(), ADA);
        }

        /// The same through the translating service.
        Answer translate(Command command) {
            return answer(
                    "POST",
                    "/_translate",
                    command.body(),
                    ADA.plus("X-Method", command.method()).plus("X-Target", command.target()));
        }

        private Answer answer(String method, String target, String body, Fields headers) {
            var request = TestRequests.request(Method.of(method).orElseThrow(), target)
                    .with(headers.plus("Content-Type", "application/json"))
                    .with(Body.of(body.getBytes(StandardCharsets.UTF_8)));
            return Answer.of(router.find(request.path()).orElseThrow().chain().handle(request));
        }

        /// Ids and tags are made anew each time.
        Answer comparable(Answer answer) {
            return new Answer(
                    answer.status(),
                    answer.content().replaceAll("[0-9a-f]{24}", "<oid>").replace(database.getName(), "<db>"));
        }

        @Override
        public void close() {
            data.close();
            security.close();
            tasks.close();
        }
    }

    private static RequestPath path(String target) {
        int mark = target.indexOf('?');
        return RequestPath.parse(mark < 0 ? target : target.substring(0, mark));
    }

    private static Query query(String target) {
        int mark = target.indexOf('?');
        return Query.parse(mark < 0 ? "" : target.substring(mark + 1), 100);
    }

    /// Makes the request that two headers and the content describe.
    private record Translator(JudgedRequests requests) implements Service {
        @Override
        public String name() {
            return "translator";
        }

        @Override
        public ErrorStyle errorStyle() {
            return ErrorStyle.STATUS;
        }

        @Override
        public Response handle(Request request) {
            var target = request.headers().first("X-Target").orElseThrow();
            var method = Method.of(request.headers().first("X-Method").orElseThrow());
            var inner = JudgedRequest.of(
                    method.orElseThrow(), path(target), query(target), Via.of(Via.Service.MCP, "find"));
            return requests.make(
                    request,
                    request.body().isEmpty()
                            ? inner
                            : inner.withContent(request.body().bytes()));
        }
    }

    private record Command(String method, String target, String body) {}

    private record Answer(int status, String content) {
        static Answer of(Response response) {
            return switch (response) {
                case Response.Ready ready -> new Answer(ready.status(), text(ready.content()));
                case Response.Deferred<?> deferred -> {
                    var arrived = new CompletableFuture<Supplier<Response.Ready>>();
                    deferred.whenThere(arrived::complete);
                    yield of(arrived.join().get());
                }
            };
        }

        private static String text(Content content) {
            return switch (content) {
                case Content.None _ -> "";
                case Content.Bytes(var buffer) ->
                    StandardCharsets.UTF_8.decode(buffer.duplicate()).toString();
                case Content.Streamed streamed -> {
                    var source = streamed.source();
                    var bytes = new ByteArrayOutputStream();
                    try (source) {
                        for (var next = source.next(); next.hasRemaining(); next = source.next()) {
                            var chunk = new byte[next.remaining()];
                            next.get(chunk);
                            bytes.writeBytes(chunk);
                        }
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                    yield bytes.toString(StandardCharsets.UTF_8);
                }
                case Content.Push _, Content.Forwarded _ -> throw new AssertionError("no messages expected");
            };
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void outcomes_and_refusals_are_those_of_the_request_that_a_client_sends(int seed) {
        var random = new Random(seed);
        var permissions = permissions(random);
        try (var sent = new Stack(permissions);
                var judged = new Stack(permissions)) {
            int refused = 0;
            for (int i = 0; i < 60; i++) {
                var command = command(random);
                var expected = sent.comparable(sent.send(command));
                assertThat(judged.comparable(judged.translate(command)))
                        .as("%s under %s", command, permissions)
                        .isEqualTo(expected);
                refused += expected.status() == 403 ? 1 : 0;
            }
            assertThat(stored(judged)).isEqualTo(stored(sent));
            assertThat(refused).as("refusals under %s", permissions).isLessThan(60);
        }
    }

    static Stream<Integer> seeds() {
        return Stream.iterate(1, seed -> seed + 1).limit(10);
    }

    private static List<BsonDocument> stored(Stack stack) {
        var documents = stack.collection("c").find().sort(new BsonDocument("_id", new org.bson.BsonInt32(1)));
        var all = new ArrayList<BsonDocument>();
        documents.forEach(document -> {
            document.remove("_etag");
            if (document.get("_id").isObjectId()) {
                document.remove("_id");
            }
            all.add(document);
        });
        return all;
    }

    private static List<String> permissions(Random random) {
        var permissions = new ArrayList<String>();
        for (int i = 0; i < 3; i++) {
            permissions.add("{_id: 'p%d', roles: ['editor'], priority: %d, predicate: \"%s\", mongo: {%s}}"
                    .formatted(i, i, predicate(random), grant(random)));
        }
        permissions.add(
                "{_id: 'read', roles: ['editor'], predicate: \"method(GET) and path-prefix('/c')\", mongo: {%s}}"
                        .formatted(grant(random)));
        return permissions;
    }

    private static String predicate(Random random) {
        return pick(
                random,
                "path-prefix('/c')",
                "path-prefix('/c') and not method(DELETE)",
                "path-template('/c/{id}')",
                "path-prefix('/c') and qparams-blacklist(sort)",
                "path-prefix('/c') and bson-request-blacklist(secret)",
                "path-prefix('/c') and equals(@user._id, 'ada') and not via(graphql)",
                "path-prefix('/c') and via(rest, mcp)");
    }

    private static String grant(Random random) {
        var parts = new ArrayList<String>();
        for (var part : List.of(
                "allowBulkPatch: true",
                "allowBulkDelete: true",
                "allowWriteMode: true",
                "readFilter: {owner: '@user._id'}",
                "writeFilter: {owner: '@user._id'}",
                "mergeRequest: {owner: '@user._id'}",
                "projectResponse: {secret: 0}",
                "checkWritten: true")) {
            if (random.nextBoolean()) {
                parts.add(part);
            }
        }
        return String.join(", ", parts);
    }

    private static Command command(Random random) {
        int id = random.nextInt(10);
        return switch (random.nextInt(9)) {
            case 0 -> new Command("GET", "/c?sort={\"_id\":1}&filter=" + filter(random), "");
            case 1 -> new Command("GET", "/c/" + id + "?id_type=NUMBER", "");
            case 2 -> new Command("GET", "/c/_size?filter=" + filter(random), "");
            case 3 -> new Command("POST", "/c", "{\"n\": 1, \"owner\": \"" + pick(random, "ada", "bob") + "\"}");
            case 4 -> new Command("PUT", "/c/" + id + "?id_type=NUMBER&wm=upsert", "{\"n\": 7}");
            case 5 -> new Command("PATCH", "/c/" + id + "?id_type=NUMBER", "{\"$inc\": {\"n\": 1}}");
            case 6 -> new Command("DELETE", "/c/" + id + "?id_type=NUMBER", "");
            case 7 -> new Command("PATCH", "/c/*?filter=" + filter(random), "{\"secret\": 5}");
            default -> new Command("DELETE", "/c/*?filter=" + filter(random), "");
        };
    }

    private static String filter(Random random) {
        return pick(
                        random,
                        "{\"n\":1}",
                        "{\"secret\":{\"$gt\":3}}",
                        "{\"owner\":\"bob\"}",
                        "{\"$where\":\"1\"}",
                        "{\"n\":{\"$gte\":2}}",
                        "{",
                        "{\"$nope\":1}")
                .replace("$", "%24");
    }

    private static String pick(Random random, String... choices) {
        return choices[random.nextInt(choices.length)];
    }

    private static Stack permitting(String role, String predicate) {
        return new Stack(List.of("{_id: 1, roles: ['%s'], predicate: \"%s\"}".formatted(role, predicate)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            via('mcp') and action(find)  | 403 | 200
            via(rest)                    | 200 | 403
            via(rest, mcp)               | 200 | 200
            action(count)                | 403 | 403
            not action(count)            | 200 | 200
            """)
    void a_permission_may_name_the_service_and_the_action(String predicate, int rest, int mcp) {
        var command = new Command("GET", "/c", "");
        try (var stack = permitting("editor", "path('/c') and " + predicate)) {
            assertThat(stack.send(command).status()).isEqualTo(rest);
            assertThat(stack.translate(command).status()).isEqualTo(mcp);
        }
    }

    @Test
    void only_services_that_say_so_can_be_reached() {
        try (var stack = permitting("editor", "true")) {
            assertThat(stack.translate(new Command("POST", "/_translate", "")).status())
                    .isEqualTo(403);
        }
    }

    @Test
    void without_an_account_only_what_the_public_may_do_is_done() {
        try (var stack = permitting("$unauthenticated", "path('/c')")) {
            var mayRead = Fields.of("X-Method", "GET", "X-Target", "/c");
            assertThat(stack.answer("POST", "/_translate", "", mayRead).status())
                    .isEqualTo(200);
            var mayNot = Fields.of("X-Method", "GET", "X-Target", "/c/1");
            assertThat(stack.answer("POST", "/_translate", "", mayNot).status()).isEqualTo(403);
        }
    }
}
