package org.restheart.rest;

import com.mongodb.client.MongoClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonParser;
import org.restheart.data.Access;
import org.restheart.http.Body;
import org.restheart.http.Content;
import org.restheart.http.Fields;
import org.restheart.http.Headers;
import org.restheart.http.MemoryBudget;
import org.restheart.http.Method;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.access.Caller;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.coalescing.CoalescingConfig;
import org.restheart.mongo.cursor.CursorPoolConfig;
import org.restheart.mongo.error.MongoErrors;
import org.restheart.rest.changestream.ChangeStreamConfig;
import org.restheart.rest.exchange.Preconditions.EtagPolicies;
import org.restheart.rest.guard.IndexCheck;
import org.restheart.rest.guard.QuerySecurity;
import org.restheart.rest.parameter.FormatParameters.Representation;
import org.restheart.rest.resource.Mounts.Mount;
import org.restheart.rest.session.Sessions;
import org.restheart.testkit.TestRequests;

/// The data API without a socket: requests as text in, answers out. Immutable and thread-safe.
public final class DataApi {
    private final MongoService service;
    private final Caller caller;
    private final Fields headers;

    private DataApi(MongoService service, Caller caller, Fields headers) {
        this.service = service;
        this.caller = caller;
        this.headers = headers;
    }

    /// As configured by default.
    public static final CursorPoolConfig.Allocation ALLOCATION =
            new CursorPoolConfig.Allocation(100, 1_000, 100, List.of(4, 2, 1), 50, 1_000, 1_000);

    /// As configured by default.
    public static final ChangeStreamConfig STREAMS = new ChangeStreamConfig(
            true,
            Duration.ofSeconds(20),
            500,
            250,
            100_000,
            1_000,
            8L << 20,
            MemoryBudget.Part.PUSHES.bytes(),
            Duration.ofSeconds(60),
            Duration.ZERO,
            false);

    private static final int MAX_RECENT = 8;
    private static final Queue<BackgroundTasks> RECENT = new ConcurrentLinkedQueue<>();

    /// Everything below `/`, with the default configuration.
    public static DataApi over(MongoClient client) {
        return over(client, defaults());
    }

    /// The default configuration, with all databases below `/`.
    public static MongoConfig defaults() {
        return new MongoConfig(
                "/",
                List.of(new Mount("*", "/")),
                Representation.STANDARD,
                EtagPolicies.DEFAULT,
                100,
                1000,
                Duration.ofMinutes(1),
                Duration.ofMinutes(1),
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO,
                true,
                false,
                Optional.empty(),
                CoalescingConfig.DEFAULT,
                new CursorPoolConfig(
                        CursorPoolConfig.Mode.EXACT,
                        500,
                        16,
                        MemoryBudget.Part.BOOKMARKS.bytes(),
                        Duration.ofMinutes(5),
                        ALLOCATION),
                QuerySecurity.DEFAULT,
                new IndexCheck.Settings(IndexCheck.Mode.OFF, 10_000),
                STREAMS,
                new Sessions.Limits(1_000, 500, 400_000),
                false);
    }

    public static DataApi over(MongoClient client, MongoConfig config) {
        return new DataApi(
                new MongoService(tasks(), config, client, new SimpleMeterRegistry()), Caller.ANONYMOUS, Fields.NONE);
    }

    /// Each follows changes with a connection of its own, and tests make one for each method: the oldest ones end.
    private static BackgroundTasks tasks() {
        var tasks = new BackgroundTasks();
        RECENT.add(tasks);
        if (RECENT.size() > MAX_RECENT) {
            Objects.requireNonNull(RECENT.poll()).stop();
        }
        return tasks;
    }

    public DataApi as(Caller caller) {
        return new DataApi(service, caller, headers);
    }

    public DataApi with(Access grant) {
        return as(caller.with(grant));
    }

    public DataApi with(String header, String value) {
        return new DataApi(service, caller, headers.with(header, value));
    }

    /// @param line method and target, such as `GET /db/books?page=2`
    public Answer send(String line) {
        return send(line, Body.EMPTY);
    }

    /// @param body as it goes over the wire; JSON unless a `Content-Type` was given
    public Answer send(String line, String body) {
        return send(line, Body.of(body.getBytes(StandardCharsets.UTF_8)));
    }

    public Answer send(String line, Body body) {
        return send(request(line, body));
    }

    /// As [#send], on a thread that must not block.
    public Answer sendFromIoThread(String line, String body) {
        return send(TestRequests.onIoThread(request(line, Body.of(body.getBytes(StandardCharsets.UTF_8)))));
    }

    private Answer send(Request request) {
        try {
            return Answer.of(ready(service.resumed(service.prepare(request))));
        } catch (CompletionException e) {
            return refused(e.getCause() instanceof RuntimeException cause ? cause : e);
        } catch (RuntimeException e) {
            return refused(e);
        }
    }

    private static Answer refused(RuntimeException e) {
        var problem = e instanceof ProblemException refusal
                ? refusal.problem()
                : MongoErrors.toProblem(e).orElseThrow(() -> e);
        return new Answer(
                problem.status(),
                problem.headers(),
                problem.disclosure() == org.restheart.http.Problem.Disclosure.ALWAYS
                        ? problem.toStatusDocument()
                        : null,
                "");
    }

    private Request request(String line, Body body) {
        var methodAndTarget = line.split(" ", 2);
        return TestRequests.request(Method.of(methodAndTarget[0]).orElseThrow(), methodAndTarget[1])
                .with(headers)
                .with(body)
                .with(caller);
    }

    private static Response.Ready ready(Response response) {
        return switch (response) {
            case Response.Ready ready -> ready;
            case Response.Deferred<?> deferred -> {
                var answer = new CompletableFuture<Supplier<Response.Ready>>();
                deferred.whenThere(answer::complete);
                yield answer.join().get();
            }
        };
    }

    /// @param json the body, if it is JSON
    /// @param text the body as text
    public record Answer(
            int status, Headers headers, @Nullable BsonValue json, String text) {
        static Answer of(Response.Ready response) {
            var text = text(response.content());
            var isJson = !text.isEmpty()
                    && response.headers().first("Content-Type").orElse("").contains("json");
            return new Answer(response.status(), response.headers(), isJson ? JsonParser.parse(text) : null, text);
        }

        private static String text(Content content) {
            return switch (content) {
                case Content.None() -> "";
                case Content.Bytes(var buffer, var _) ->
                    StandardCharsets.UTF_8.decode(buffer.duplicate()).toString();
                case Content.Streamed streamed -> drain(streamed.source());
                case Content.Push _ -> throw new AssertionError("a push has no end");
            };
        }

        private static String drain(Content.Source source) {
            var text = new StringBuilder();
            try (source) {
                for (var bytes = source.next(); bytes.hasRemaining(); bytes = source.next()) {
                    text.append(StandardCharsets.UTF_8.decode(bytes));
                }
            } catch (Exception e) {
                throw new AssertionError("the response was cut", e);
            }
            return text.toString();
        }

        public Optional<String> header(String name) {
            return headers.first(name);
        }

        public String etag() {
            return header("ETag").orElseThrow(() -> new AssertionError("no ETag in " + this));
        }

        public BsonDocument document() {
            if (json == null) {
                throw new AssertionError("no JSON in " + this);
            }
            return json.asDocument();
        }

        /// Of an error body.
        public String message() {
            return document().getString("message").getValue();
        }
    }
}
