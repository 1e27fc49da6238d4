package org.restheart.core.security;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.Document;
import org.restheart.core.accounts.Security;
import org.restheart.core.accounts.Security.AddedPolicy;
import org.restheart.core.filter.ErrorMapping;
import org.restheart.core.filter.Pipeline;
import org.restheart.core.routing.Binding;
import org.restheart.core.routing.InProcessRequests;
import org.restheart.core.routing.Router;
import org.restheart.http.Body;
import org.restheart.http.Content;
import org.restheart.http.Fields;
import org.restheart.http.Guard;
import org.restheart.http.Method;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.http.Service.ErrorStyle;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.judged.Via;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.error.MongoErrors;
import org.restheart.rest.MongoService;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.TestRequests;

/// A gateway over a database of its own, without a socket: the data API, and a service that translates its
/// requests to those of the data API. The collection `c` has eight documents, the account `ada` the role
/// `editor`.
final class InProcessGateway implements AutoCloseable {
    private static final Fields ADA = Fields.of("Authorization", TestClient.basic("ada", "pw"));

    private final MongoDatabase database;
    private final BackgroundTasks tasks = new BackgroundTasks();
    private final Security security;
    private final MongoService data;
    private final Router router;

    /// @param permissions of the role `editor`
    InProcessGateway(TestMongo mongo, List<String> permissions) {
        database = mongo.client().getDatabase(mongo.newDatabaseName());
        var config = TestGateway.config(
                mongo.connectionString(),
                database.getName(),
                TestGateway.REALM + "core: {error-bodies: MINIMAL}\n"); // judged requests are told what, not why
        database.getCollection("users")
                .insertOne(new Document("_id", "ada")
                        .append("password", TestGateway.hash("pw"))
                        .append("roles", List.of("editor")));
        permissions.forEach(json -> collection("acl").insertOne(BsonDocument.parse(json)));
        for (int i = 0; i < 8; i++) {
            collection("c")
                    .insertOne(BsonDocument.parse("{_id: %d, owner: '%s', n: %d, secret: %d}"
                            .formatted(i, i % 2 == 0 ? "ada" : "bob", i % 3, i)));
        }
        security = new Security(
                config.security(),
                Optional.of(mongo.client()),
                tasks,
                new AddedPolicy(List.of(), List.of(), List.of(), List.of(), Optional.empty()));
        data = new MongoService(tasks, config.mongo().orElseThrow(), mongo.client(), new SimpleMeterRegistry());
        var requests = new InProcessRequests();
        var pipeline = new Pipeline(
                Pipeline.Settings.of(config),
                new ErrorMapping(MongoErrors::toProblem),
                security::securityFilter,
                binding -> security.securityFilter(binding)::judge,
                Optional.empty());
        router = new Router(Stream.of(
                        Binding.prefix(data, "/", true)
                                .behind(List.of(Guard.all(
                                        security.guards().all(data.forbiddenOperators(), data::unreachable)))),
                        Binding.prefix(new Translator(requests), "/_translate", false))
                .map(pipeline::assemble)
                .toList());
        requests.connect(router, security::securityFilter, security.guards()::refusal);
    }

    MongoCollection<BsonDocument> collection(String name) {
        return database.getCollection(name, BsonDocument.class);
    }

    /// Sends a command to the data API as `ada`.
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

    /// Sends a request.
    Answer answer(String method, String target, String body, Fields headers) {
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

    record Command(String method, String target, String body) {}

    record Answer(int status, String content) {
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
                case Content.Bytes(var buffer, var _) ->
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
                case Content.Push _ -> throw new AssertionError("no messages expected");
            };
        }
    }
}
