package org.restheart.graphql;

import graphql.ExecutionInput;
import graphql.GraphQLContext;
import graphql.execution.instrumentation.InstrumentationState;
import graphql.schema.DataFetcher;
import graphql.schema.DataFetchingEnvironment;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.data.Access;
import org.restheart.graphql.app.FieldMapping;
import org.restheart.graphql.app.FieldMapping.Source;
import org.restheart.graphql.app.FieldShape;
import org.restheart.graphql.app.MappingVariables;
import org.restheart.graphql.app.Node;
import org.restheart.http.ComputeLimit;
import org.restheart.http.ComputeLimit.Place;
import org.restheart.http.Lease;
import org.restheart.http.NamedOperation;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.TimeSlices;
import org.restheart.http.access.Account;
import org.restheart.rest.reading.DocumentRead;

/// The execution of one operation. Confined to its thread.
final class Execution implements InstrumentationState, AutoCloseable {
    /// Bytes counted per document in addition to its size, for the objects it is decoded to.
    private static final int OVERHEAD = 200;

    /// Bytes of heap for one value of the result (measured with graphql-java 26: 110), besides those of a
    /// text.
    private static final int VALUE = 110;

    /// Bytes of heap for a field that waits for its documents, without its arguments (measured: 1,700, and
    /// its query).
    private static final int LOAD = 2_500;

    /// Values of a result that is computed at once, with some milliseconds of a processor. Larger ones have
    /// a place in [ComputeLimit].
    private static final int FEW = 2_000;

    /// Errors of a result.
    private static final int MAX_ERRORS = 1_000;

    /// How long a larger result waits for its place.
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    /// After this time the place is given to those who wait for one.
    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Request request;
    private final QueryRunner.LevelLoads loads;
    private final GraphqlConfig.Answers bounds;
    private final Function<Source, Access> rights;
    private final SubscriptionRoot subscribed;
    private final Map<Source, Access> known = new HashMap<>();
    private final @Nullable BsonDocument user;
    private final ResultMemory.Share memory;
    private final TimeSlices slices = new TimeSlices();
    private final long deadline;
    private Optional<Problem> fatal = Optional.empty();
    private @Nullable ExecutionInput input;
    private int values;
    private @Nullable Set<@Nullable Object> shared;
    private @Nullable Place place;

    /// When the place was taken.
    private long turn;

    /// @param rights the read rights on a collection; may block
    /// @param subscribed the values of fields that streams are mapped to
    /// @param memory what the result may hold
    Execution(
            Request request,
            QueryRunner.LevelLoads loads,
            GraphqlConfig.Answers bounds,
            Function<Source, Access> rights,
            SubscriptionRoot subscribed,
            ResultMemory.Share memory) {
        this.memory = memory;
        this.deadline = bounds.timeLimit().isZero()
                ? 0
                : System.nanoTime() + bounds.timeLimit().toNanos();
        this.subscribed = subscribed;
        this.request = request;
        this.loads = loads;
        this.bounds = bounds;
        this.rights = rights;
        this.user = request.caller().account().map(Account::properties).orElse(null);
    }

    static Execution of(GraphQLContext context) {
        return Objects.requireNonNull(context.get(Execution.class));
    }

    /// Owns the memory of the response.
    Lease lease() {
        return request.lease();
    }

    /// Holds what encoding the result takes, until it has another owner.
    ///
    /// @throws org.restheart.http.ProblemException if there is too little memory
    void holdEncoding() {
        memory.holdEncoding(this::close);
    }

    /// The time by which there must be a result, in [System#nanoTime()]; 0 for none.
    long deadline() {
        return deadline;
    }

    /// @param input which is canceled when the request has failed as a whole
    ExecutionInput begins(ExecutionInput input) {
        this.input = input;
        return input;
    }

    /// Gives the place for computations back, until the next value: at the end, and while documents or memory are
    /// awaited.
    @Override
    public void close() {
        if (place != null) {
            place.close();
            place = null;
        }
    }

    /// Whether the request is answered with a result for each event.
    @SuppressWarnings("ReferenceEquality")
    boolean isSubscription() {
        return subscribed != SubscriptionRoot.NONE;
    }

    /// Notifies the observer of the request.
    void asked(NamedOperation operation) {
        request.attribute(NamedOperation.OBSERVER).ifPresent(observer -> observer.accept(operation));
    }

    /// The failure of the whole request, if any.
    Optional<Problem> fatal() {
        return fatal;
    }

    void failed(Problem problem) {
        if (problem.code() == ProblemCode.DATABASE_UNAVAILABLE
                || problem.code() == ProblemCode.QUERY_TIMED_OUT
                || problem.code() == ProblemCode.OVERLOADED) {
            end(problem);
        }
    }

    /// Ends the whole execution; later problems follow from the first one.
    private void end(Problem problem) {
        fatal = fatal.or(() -> Optional.of(problem));
        if (input != null) {
            input.cancel();
        }
    }

    static DataFetcher<?> fetcher(String name, FieldMapping mapping, FieldShape shape) {
        return switch (mapping) {
            case FieldMapping.Find find ->
                environment -> of(environment.getGraphQlContext()).load(name, find, shape, environment);
            case FieldMapping.Pipeline pipeline ->
                environment -> of(environment.getGraphQlContext()).load(name, pipeline, shape, environment);
            case FieldMapping.Stream stream ->
                environment -> of(environment.getGraphQlContext()).listen(stream, shape, environment);
            case FieldMapping.Path _ -> throw new IllegalArgumentException(name + " is not loaded");
        };
    }

    private static Node parent(DataFetchingEnvironment environment) {
        return environment.getSource() instanceof Node node ? node : Node.NOTHING;
    }

    private static boolean isFirstLevel(Node parent) {
        return parent.isNothing();
    }

    /// Arguments are made for the field of each parent, whether a mapping uses all of them or not.
    private MappingVariables variables(DataFetchingEnvironment environment, Node parent) {
        var arguments = environment.getArguments();
        if (!arguments.isEmpty()) {
            hold(ResultMemory.sizeOfUnshared(arguments, variables(environment)));
        }
        return new MappingVariables(arguments, parent.value(), isFirstLevel(parent) ? null : parent.root(), user);
    }

    /// The values of the operation's variables, which all fields share.
    private Set<@Nullable Object> variables(DataFetchingEnvironment environment) {
        var variables = shared;
        if (variables == null) {
            variables = Collections.newSetFromMap(new IdentityHashMap<>());
            variables.addAll(environment.getVariables().values());
            shared = variables;
        }
        return variables;
    }

    private Access rights(Source source) {
        return known.computeIfAbsent(source, rights);
    }

    private @Nullable Object listen(FieldMapping.Stream stream, FieldShape shape, DataFetchingEnvironment environment) {
        return subscribed.value(stream, variables(environment, Node.NOTHING), shape);
    }

    private Object load(String name, FieldMapping.Find find, FieldShape shape, DataFetchingEnvironment environment) {
        fatal.ifPresent(Execution::raise);
        var parent = parent(environment);
        var variables = variables(environment, parent);
        var query = new DocumentRead.Find(
                find.source().namespace(),
                find.filter(variables),
                find.order(variables),
                find.offset(variables),
                shape instanceof FieldShape.Many
                        ? find.size(variables, bounds.defaultLimit(), bounds.maxLimit())
                        : Math.min(1, find.size(variables, 1, bounds.maxLimit())),
                bounds.timeLimit(),
                rights(find.source()));
        hold(ResultMemory.sizeOf(query.filter())
                + ResultMemory.sizeOf(query.sort())); // arguments are in the query of each parent
        return shaped(loads.load(name, find.source().loading(), query, environment), shape, parent);
    }

    private Object load(
            String name, FieldMapping.Pipeline pipeline, FieldShape shape, DataFetchingEnvironment environment) {
        fatal.ifPresent(Execution::raise);
        var parent = parent(environment);
        var stages = pipeline.fill(variables(environment, parent));
        if (stages.isEmpty()) {
            return shape.ofNothing();
        }
        hold(ResultMemory.sizeOf(stages));
        var query = new DocumentRead.Aggregate(
                pipeline.source().namespace(),
                stages,
                pipeline.allowDiskUse(),
                shape instanceof FieldShape.Many ? bounds.aggregationMaxResults() : 1,
                bounds.timeLimit(),
                rights(pipeline.source()));
        return shaped(loads.load(name, pipeline.source().loading(), query, environment), shape, parent);
    }

    private CompletionStage<Object> shaped(
            CompletionStage<List<RawBsonDocument>> documents, FieldShape shape, Node parent) {
        require(() -> memory.holdWaiting(LOAD, this::close));
        return documents.whenComplete((_, _) -> memory.releaseWaiting(LOAD)).thenApply(found -> {
            slices.begin();
            holdDocuments(found);
            return shape.ofResults(found, isFirstLevel(parent) ? null : parent.root());
        });
    }

    private void holdDocuments(List<RawBsonDocument> documents) {
        long bytes = 0;
        for (var document : documents) {
            bytes += document.getByteLength();
        }
        long read = bytes;
        require(() -> memory.count(read));
        hold((long) OVERHEAD * documents.size());
    }

    /// Counts a value of the result, after which other threads may run.
    ///
    /// @throws org.restheart.http.ProblemException if the result is too large or takes too long, which ends
    ///     the execution
    void countValue(@Nullable Object value) {
        hold(VALUE + ResultMemory.sizeOf(value));
        if (++values > FEW && place == null && Thread.currentThread().isVirtual()) {
            require(this::takeTurn);
        }
        if (slices.step()) {
            long now = System.nanoTime();
            if (Thread.currentThread().isInterrupted()) {
                fail(ProblemCode.OVERLOADED, "nobody waits for the result");
            }
            if (deadline != 0 && now - deadline > 0) {
                fail(ProblemCode.QUERY_TIMED_OUT, "the time is over");
            }
            if (place != null && now - turn > TURN_NANOS) {
                close();
                require(this::takeTurn);
            }
        }
    }

    /// @throws org.restheart.http.ProblemException if they are too many, which ends the execution
    void checkErrors(int errors) {
        if (errors > MAX_ERRORS) {
            fail(
                    ProblemCode.UNPROCESSABLE,
                    "more than " + MAX_ERRORS + " values of the response do not have the types of the schema");
        }
    }

    private void takeTurn() {
        place = ComputeLimit.SHARED.enter(LONGEST_WAIT);
        turn = System.nanoTime();
    }

    private void fail(ProblemCode code, String message) {
        require(() -> {
            throw new ProblemException(code, message);
        });
    }

    private static void raise(Problem problem) {
        throw problem.raise();
    }

    private void hold(long bytes) {
        require(() -> memory.hold(bytes, this::close));
    }

    /// A problem ends the whole execution.
    private void require(Runnable condition) {
        try {
            condition.run();
        } catch (ProblemException e) {
            end(e.problem());
            throw e;
        }
    }
}
