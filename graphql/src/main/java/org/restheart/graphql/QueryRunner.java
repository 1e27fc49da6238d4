package org.restheart.graphql;

import graphql.ErrorType;
import graphql.ExecutionInput;
import graphql.ExecutionResult;
import graphql.GraphQLError;
import graphql.schema.DataFetchingEnvironment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.bson.BsonDouble;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.dataloader.BatchLoader;
import org.dataloader.DataLoader;
import org.dataloader.DataLoaderFactory;
import org.dataloader.DataLoaderOptions;
import org.dataloader.DataLoaderRegistry;
import org.dataloader.Try;
import org.dataloader.stats.SimpleStatisticsCollector;
import org.dataloader.stats.Statistics;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.Utf8Buffer;
import org.restheart.graphql.OperationResult.QueryOutcome;
import org.restheart.graphql.app.FieldMapping.Loading;
import org.restheart.graphql.app.Node;
import org.restheart.http.Lease;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.TimeSlices;
import org.restheart.http.parameter.DataParameter;
import org.restheart.rest.reading.DocumentRead;
import org.restheart.rest.reading.DocumentReads;
import org.restheart.text.ShortText;

/// Executes operations. Thread-safe.
record QueryRunner(GraphqlConfig config, DocumentReads reads, SourceAccess access, ResultMemory memory) {
    private static final JsonEncoder EXTENDED = JsonEncoder.of(JsonMode.DEFAULT);
    private static final JsonEncoder PLAIN = JsonEncoder.of(JsonMode.PLAIN);

    /// Executes an operation once, on this thread.
    ///
    /// @param root the values of fields that streams are mapped to
    /// @param extensions further ones of the result
    QueryOutcome run(
            Request request, ServedApp app, QueryRequest asked, SubscriptionRoot root, Map<String, ?> extensions) {
        try (var share = memory.open()) {
            return run(request, app, asked, root, extensions, share);
        }
    }

    /// @param share the memory of the result; closed by the caller
    QueryOutcome run(
            Request request,
            ServedApp app,
            QueryRequest asked,
            SubscriptionRoot root,
            Map<String, ?> extensions,
            ResultMemory.Share share) {
        var query = query(app, asked);
        if (query.isEmpty()) {
            return asked.documentId().isPresent()
                    ? QueryOutcome.error(
                            400,
                            "PersistedQueryNotFound",
                            ErrorType.ValidationError,
                            "the app's documents have none of this name or hash")
                    : QueryOutcome.error(400, "Query cannot be null", ErrorType.DataFetchingException, asked.hint());
        }
        if (config.queries().onlyStored() && !app.holds(query.get())) {
            return QueryOutcome.error(
                    400,
                    "only queries that the app holds are answered (graphql.persisted-documents-only)",
                    ErrorType.ValidationError);
        }
        var loads = new LevelLoads(reads, share.lease());
        try (var execution = new Execution(
                request, loads, config.answers(), source -> access.rights(request, source), root, share)) {
            var result = run(execution, loads, app, input(execution, asked, query.get()));
            var all = new HashMap<String, Object>(extensions);
            if (config.answers().verbose()) {
                all.put("dataloader", Map.of("overall-statistics", loads.statistics()));
            }
            return outcome(execution, result, all, values(request));
        } catch (TimeoutException _) {
            return timedOut();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ProblemException(ProblemCode.OVERLOADED, "the request has ended");
        }
    }

    /// The text of the operation's document; empty if there is none.
    static Optional<String> query(ServedApp app, QueryRequest asked) {
        return asked.query()
                .filter(text -> !text.isEmpty())
                .or(() -> asked.documentId().flatMap(app::document));
    }

    private static ExecutionInput.Builder input(Execution execution, QueryRequest asked, String query) {
        return ExecutionInput.newExecutionInput()
                .query(query)
                .operationName(asked.operationName().orElse(null))
                .variables(asked.variables())
                .root(Node.NOTHING)
                .graphQLContext(Map.of(Execution.class, execution));
    }

    private ExecutionResult run(Execution execution, LevelLoads loads, ServedApp app, ExecutionInput.Builder input)
            throws TimeoutException, InterruptedException {
        try {
            return loads.loop()
                    .await(
                            execute(execution, app, input.dataLoaderRegistry(loads.registry())),
                            execution.deadline(),
                            execution::close);
        } catch (CompletionException e) {
            return replaced(execution, e);
        }
    }

    private static CompletableFuture<ExecutionResult> execute(
            Execution execution, ServedApp app, ExecutionInput.Builder input) {
        try {
            return app.engine().executeAsync(execution.begins(input.build()));
        } catch (ProblemException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /// The result of an execution that has failed as a whole, which the outcome reports.
    private static ExecutionResult replaced(Execution execution, CompletionException failure) {
        if (execution.fatal().isEmpty()) {
            throw failure.getCause() instanceof RuntimeException cause ? cause : failure;
        }
        return ExecutionResult.newExecutionResult().build();
    }

    /// How values are written: dates as the configuration says, and all in plain JSON if the client wants it.
    private Function<BsonValue, JsonEncoder> values(Request request) {
        if (DataParameter.JSON_MODE
                .choice(request.query())
                .filter("plain"::equals)
                .isPresent()) {
            return _ -> PLAIN;
        }
        return config.answers().extendedDates() ? _ -> EXTENDED : value -> value.isDateTime() ? PLAIN : EXTENDED;
    }

    private QueryOutcome outcome(
            Execution execution,
            ExecutionResult result,
            Map<String, ?> extensions,
            Function<BsonValue, JsonEncoder> values) {
        if (execution.fatal().isPresent()) {
            return failed(execution.fatal().get());
        }
        execution.holdEncoding();
        try {
            var json = ResultJson.of(result, extensions, config.answers().maxBytes(), values);
            boolean failed = !result.getErrors().isEmpty() && result.getData() == null;
            return new QueryOutcome(failed ? 400 : 200, json.toByteArray());
        } catch (ResultJson.TooLong _) {
            return QueryOutcome.error(
                    400,
                    "the response is larger than " + config.answers().maxBytes()
                            + " bytes (graphql.max-response-bytes)",
                    ErrorType.ExecutionAborted);
        }
    }

    private QueryOutcome failed(Problem problem) {
        return switch (problem.code()) {
            case QUERY_TIMED_OUT -> timedOut();
            case UNPROCESSABLE -> QueryOutcome.error(400, problem.message(), ErrorType.ExecutionAborted);
            case OVERLOADED -> throw problem.raise();
            default -> QueryOutcome.unavailable(problem);
        };
    }

    private QueryOutcome timedOut() {
        return QueryOutcome.error(
                408,
                "Maximum query time limit of " + config.answers().timeLimit().toMillis() + "ms exceeded",
                ErrorType.ExecutionAborted);
    }

    /// Loads the fields of one level together. Confined to the request's thread, which waits in its
    /// [RequestLoop].
    static final class LevelLoads {
        private final RequestLoop loop = new RequestLoop();
        private final DataLoaderRegistry loaders = new DataLoaderRegistry();
        private final Set<String> declaredLoaders = new HashSet<>();
        private final DocumentReads reads;
        private final Lease lease;

        /// @param lease owns what is read
        LevelLoads(DocumentReads reads, Lease lease) {
            this.reads = reads;
            this.lease = lease;
        }

        RequestLoop loop() {
            return loop;
        }

        DataLoaderRegistry registry() {
            return loaders;
        }

        /// Statistics of fields whose definitions configure loading.
        Map<String, Number> statistics() {
            var all = new Statistics();
            for (var name : declaredLoaders) {
                all = all.combine(
                        Objects.requireNonNull(loaders.getDataLoader(name)).getStatistics());
            }
            return all.toMap();
        }

        /// @param field `Type.field`
        CompletionStage<List<RawBsonDocument>> load(
                String field, Loading loading, DocumentRead read, DataFetchingEnvironment environment) {
            if (!loading.batching()) {
                return reads.read(read, lease).thenApplyAsync(Function.identity(), loop);
            }
            loaders.computeIfAbsent(field, _ -> {
                if (loading.declared()) {
                    declaredLoaders.add(field);
                }
                return DataLoaderFactory.newDataLoaderWithTry(
                        field,
                        (BatchLoader<DocumentRead, Try<List<RawBsonDocument>>>)
                                queries -> all(reads.readAll(queries, lease)),
                        DataLoaderOptions.newOptions()
                                .setMaxBatchSize(loading.maxBatch())
                                .setCachingEnabled(loading.caching())
                                .setCacheKeyFunction((DocumentRead asked) -> asked.key())
                                .setStatisticsCollector(SimpleStatisticsCollector::new)
                                .build());
            });
            DataLoader<DocumentRead, List<RawBsonDocument>> loader =
                    Objects.requireNonNull(environment.getDataLoader(field));
            return loader.load(read);
        }

        /// All results once the last one is complete, on the request's thread.
        private CompletionStage<List<Try<List<RawBsonDocument>>>> all(
                List<CompletionStage<List<RawBsonDocument>>> answers) {
            var waiting = new ArrayList<CompletableFuture<Try<List<RawBsonDocument>>>>(answers.size());
            for (var answer : answers) {
                waiting.add(answer.handle((found, failure) ->
                                failure == null ? Try.succeeded(found) : Try.<List<RawBsonDocument>>failed(failure))
                        .toCompletableFuture());
            }
            return CompletableFuture.allOf(waiting.toArray(CompletableFuture[]::new))
                    .thenApplyAsync(
                            _ -> waiting.stream().map(CompletableFuture::join).toList(), loop);
        }

        /// Runs all tasks of one request sequentially on its own thread, whichever thread completes what
        /// they wait for.
        static final class RequestLoop implements Executor {
            private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();

            @Override
            public void execute(Runnable task) {
                tasks.add(task);
            }

            /// Runs tasks until `outcome` is complete.
            ///
            /// @param deadline in [System#nanoTime()]; 0 for none
            /// @param waits called before each wait for a task
            /// @throws TimeoutException when it is not complete by then
            <T> T await(CompletableFuture<T> outcome, long deadline, Runnable waits)
                    throws TimeoutException, InterruptedException {
                var _ = outcome.whenComplete((_, _) -> execute(() -> {}));
                while (!outcome.isDone()) {
                    if (tasks.isEmpty()) {
                        waits.run();
                    }
                    if (deadline == 0) {
                        tasks.take().run();
                        continue;
                    }
                    var task = tasks.poll(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
                    if (task == null || System.nanoTime() - deadline > 0) {
                        throw new TimeoutException();
                    }
                    task.run();
                }
                return outcome.join();
            }
        }
    }

    /// Writes results as JSON. Confined to one thread.
    private static final class ResultJson {
        /// Characters of an error's message.
        private static final int MAX_MESSAGE = 2_000;

        private final Utf8Buffer out = new Utf8Buffer();
        private final TimeSlices slices = new TimeSlices();
        private final int maxBytes;
        private final Function<BsonValue, JsonEncoder> values;

        private ResultJson(int maxBytes, Function<BsonValue, JsonEncoder> values) {
            this.maxBytes = maxBytes;
            this.values = values;
        }

        static final class TooLong extends RuntimeException {
            private static final long serialVersionUID = 1L;

            TooLong() {
                super(null, null, false, false);
            }
        }

        /// @throws TooLong when it has more than `maxBytes`
        static Utf8Buffer of(
                ExecutionResult result,
                Map<String, ?> extensions,
                int maxBytes,
                Function<BsonValue, JsonEncoder> values) {
            var body = new LinkedHashMap<String, @Nullable Object>();
            if (!result.getErrors().isEmpty()) {
                body.put(
                        "errors",
                        result.getErrors().stream().map(ResultJson::shortened).toList());
            }
            if (result.isDataPresent()) {
                body.put("data", result.getData());
            }
            if (!extensions.isEmpty()) {
                body.put("extensions", extensions);
            }
            var json = new ResultJson(maxBytes, values);
            json.write(body);
            return json.out;
        }

        /// Messages repeat variables, however long these are.
        private static Map<String, Object> shortened(GraphQLError error) {
            var members = new LinkedHashMap<>(error.toSpecification());
            members.computeIfPresent("message", (_, text) -> ShortText.of(text.toString(), MAX_MESSAGE));
            return members;
        }

        private void write(@Nullable Object value) {
            switch (value) {
                case null -> out.ascii("null");
                case BsonValue bson -> values.apply(bson).encode(bson, out);
                case String text -> EXTENDED.encode(new BsonString(text), out);
                case Boolean truth -> out.ascii(truth ? "true" : "false");
                case Integer number -> out.decimal(number);
                case Long number -> out.decimal(number);
                case Double number -> EXTENDED.encode(new BsonDouble(number), out);
                case Map<?, ?> map -> writeMap(map);
                case List<?> list -> writeList(list);
                case java.math.BigInteger number -> out.ascii(number.toString());
                case java.math.BigDecimal number -> out.ascii(number.toString());
                default -> EXTENDED.encode(new BsonString(value.toString()), out);
            }
            if (out.length() > maxBytes) {
                throw new TooLong();
            }
            slices.step();
        }

        private void writeMap(Map<?, ?> map) {
            char separator = '{';
            for (var member : map.entrySet()) {
                out.put(separator);
                separator = ',';
                writeName(String.valueOf(member.getKey()));
                out.put(':');
                write(member.getValue());
            }
            if (separator == '{') {
                out.put('{');
            }
            out.put('}');
        }

        /// Names of fields need no escapes.
        private void writeName(String name) {
            if (name.chars().allMatch(ResultJson::isNameCharacter)) {
                out.put('"');
                out.ascii(name);
                out.put('"');
            } else {
                EXTENDED.encode(new BsonString(name), out);
            }
        }

        private static boolean isNameCharacter(int c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        }

        private void writeList(List<?> list) {
            out.put('[');
            boolean first = true;
            for (var element : list) {
                if (!first) {
                    out.put(',');
                }
                first = false;
                write(element);
            }
            out.put(']');
        }
    }
}
