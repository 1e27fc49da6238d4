package org.restheart.mongo.reading;

import com.mongodb.MongoNamespace;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.restheart.data.Access;
import org.restheart.http.Lease;
import org.restheart.http.MemoryBudget;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.access.CallerScope;
import org.restheart.mongo.changestream.StreamDefinitions;
import org.restheart.mongo.coalescing.Coalescer;
import org.restheart.mongo.error.MongoErrors;
import org.restheart.mongo.find.DocumentSizes.Size;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.find.QueryKey;
import org.restheart.mongo.guard.ForbiddenOperators;
import org.restheart.mongo.guard.PipelineInspection;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.mongo.metadata.ResourceMetadata;
import org.restheart.mongo.reading.CombinedReads.Equalities;
import org.restheart.mongo.reading.ReadCommands.Union;

/// Reads documents for services other than the data API. Reads by `_id` are coalesced with those of the data
/// API, equal concurrent queries run once, and queries of one call are combined to one command where that gives
/// the same results. Thread-safe; may block for metadata of a collection, not for documents.
///
/// Every result fails with a [ProblemException], on a thread that must not be blocked.
public final class DocumentReads {
    private final ReadCommands commands;
    private final MemoryBudget memory;
    private final Coalescer coalesced;
    private final Duration lookupLimit;
    private final Metadata metadata;
    private final ForbiddenOperators operators;
    private final PipelineInspection inspection;
    private final CombinedReads<ReadQuery> finds;
    private final CombinedReads<ReadPipeline> aggregations;

    public DocumentReads(
            DriverFinder documents,
            Coalescer coalescer,
            Duration lookupLimit,
            Metadata metadata,
            ForbiddenOperators operators,
            PipelineInspection inspection,
            MemoryBudget memory) {
        this.commands = new ReadCommands(documents, coalescer.sizes());
        this.memory = memory;
        this.coalesced = coalescer;
        this.lookupLimit = lookupLimit;
        this.metadata = metadata;
        this.operators = operators;
        this.inspection = inspection;
        this.finds = new CombinedReads<>(coalesced, this::find);
        this.aggregations = new CombinedReads<>(coalesced, this::aggregate);
    }

    /// The documents in order.
    ///
    /// @param lease owns them until it is closed
    public CompletionStage<List<RawBsonDocument>> find(ReadQuery query, Lease lease) {
        return withoutDetails(startFind(query, lease));
    }

    /// A few documents, which the process keeps for itself.
    public CompletionStage<List<RawBsonDocument>> find(ReadQuery query) {
        var lease = ofServer();
        return find(query, lease).whenComplete((_, _) -> lease.close());
    }

    private Lease ofServer() {
        return memory.open(() -> CallerScope.SERVER);
    }

    private void check(ReadQuery query) {
        inspection.requireOpen(query.namespace());
        operators.checkFilter(query.filter());
    }

    private void check(ReadPipeline query) {
        inspection.requireOpen(query.namespace());
        inspection.check(query.stages(), query.namespace().getDatabaseName());
    }

    /// Why a pipeline would be refused, whatever the values of its variables; empty if it may be run. May block for
    /// metadata.
    ///
    /// @throws ProblemException if that cannot be known now
    public Optional<String> refusal(MongoNamespace namespace, List<BsonDocument> stages) {
        return refusal(namespace, () -> inspection.check(stages, namespace.getDatabaseName()));
    }

    /// The same of a query with this filter.
    ///
    /// @throws ProblemException if that cannot be known now
    public Optional<String> refusal(MongoNamespace namespace, BsonDocument filter) {
        return refusal(namespace, () -> operators.checkFilter(filter));
    }

    private Optional<String> refusal(MongoNamespace namespace, Runnable check) {
        try {
            inspection.requireOpen(namespace);
            check.run();
            return Optional.empty();
        } catch (ProblemException e) {
            if (e.problem().status() >= 500) {
                throw e;
            }
            return Optional.of(e.problem().message());
        }
    }

    /// Whether there is the collection or view. May block for metadata.
    ///
    /// @throws ProblemException if that cannot be known now
    public boolean exists(MongoNamespace namespace) {
        return collection(namespace).exists();
    }

    /// The names of the change streams that a collection declares. May block for metadata.
    ///
    /// @throws ProblemException if that cannot be known now
    public List<String> streams(MongoNamespace namespace) {
        return StreamDefinitions.names(collection(namespace));
    }

    private CompletionStage<List<RawBsonDocument>> startFind(ReadQuery query, Lease lease) {
        try {
            check(query);
            if (query.rights().projectResponse().isPresent()) { // the filter must not depend on hidden fields
                var pipeline = query.asPipeline();
                var stages = pipeline.permitted();
                return shared(query.key(), lease, command -> commands.run(pipeline, stages, query.limit(), command));
            }
            var id = query.id();
            return id.isPresent() && isPlain(query)
                    ? coalesced.one(query.lookup(id.get(), lookupLimit), lease).thenApply(DocumentReads::list)
                    : coalesced.find(query.asFind(), lease, use -> commands.run(query, use));
        } catch (RuntimeException e) {
            return CompletableFuture.failedStage(e);
        }
    }

    /// Some documents from one end of `_id`, for statistics: if a limit is reached, those that were read until
    /// then. Blocks.
    ///
    /// @param direction 1 for the smallest ids, -1 for the largest
    /// @throws com.mongodb.MongoException if MongoDB refuses or cannot be asked
    public DocumentSample readEnd(
            MongoNamespace namespace, Access rights, int direction, int limit, Duration timeLimit, long maxBytes) {
        try (var lease = ofServer()) {
            lease.await(Size.COPIES * maxBytes);
            return commands.readEnd(namespace, rights, direction, limit, timeLimit, maxBytes);
        }
    }

    /// Random documents of a large collection, for statistics, as above. Empty where that would read the whole
    /// collection: if it is small or a view, or if the rights have a filter. Blocks.
    ///
    /// @throws com.mongodb.MongoException if MongoDB cannot be asked
    public Optional<DocumentSample> readRandom(
            MongoNamespace namespace, Access rights, int limit, Duration timeLimit, long maxBytes) {
        try (var lease = ofServer()) {
            lease.await(Size.COPIES * maxBytes);
            return commands.readRandom(namespace, rights, limit, timeLimit, maxBytes);
        }
    }

    /// @param complete whether no limit but their number was met
    public record DocumentSample(List<RawBsonDocument> documents, boolean complete) {}

    /// The results in order. Writing and forbidden stages are refused.
    ///
    /// @param lease owns them until it is closed
    public CompletionStage<List<RawBsonDocument>> aggregate(ReadPipeline query, Lease lease) {
        return withoutDetails(startAggregation(query, lease));
    }

    private CompletionStage<List<RawBsonDocument>> startAggregation(ReadPipeline query, Lease lease) {
        try {
            check(query);
            var stages = query.permitted();
            return shared(query.key(), lease, command -> commands.run(query, stages, query.limit(), command));
        } catch (RuntimeException e) {
            return CompletableFuture.failedStage(e);
        }
    }

    private CompletionStage<List<RawBsonDocument>> shared(
            QueryKey key, Lease lease, Function<Lease, List<RawBsonDocument>> run) {
        return coalesced
                .share(key, lease, command -> List.of(run.apply(command)))
                .thenApply(List::getFirst);
    }

    private boolean isPlain(ReadQuery query) {
        return collection(query.namespace()).plain();
    }

    private ResourceMetadata collection(MongoNamespace namespace) {
        return metadata.collection(namespace.getDatabaseName(), namespace.getCollectionName());
    }

    private static List<RawBsonDocument> list(Optional<RawBsonDocument> found) {
        return found.map(List::of).orElse(List.of());
    }

    /// The results of queries that differ only in filters, sorts and slices, in their order, equal to those of
    /// separate queries.
    ///
    /// @param lease owns them until it is closed
    public List<CompletionStage<List<RawBsonDocument>>> findAll(List<ReadQuery> queries, Lease lease) {
        return all(queries, query -> Union.takes(query.asPipeline()), query -> find(query, lease), () -> {
            queries.forEach(this::check);
            boolean plain = isPlain(queries.getFirst());
            if (plain && queries.stream().allMatch(query -> query.id().isPresent())) {
                return lookups(queries, lease);
            }
            return finds.run(queries, lease, (all, command) -> {
                var equalities = plain ? Equalities.of(all) : Optional.<Equalities>empty();
                return equalities
                        .flatMap(in -> in.distribute(commands.run(in.combined(), command)))
                        .orElseGet(() -> commands.union(
                                all.stream().map(ReadQuery::asPipeline).toList(), command));
            });
        });
    }

    /// As [#findAll].
    public List<CompletionStage<List<RawBsonDocument>>> aggregateAll(List<ReadPipeline> queries, Lease lease) {
        return all(queries, Union::takes, query -> aggregate(query, lease), () -> {
            queries.forEach(this::check);
            return aggregations.run(queries, lease, commands::union);
        });
    }

    /// @param takes whether a query may be run with others
    /// @param alone runs one; where a query is refused, each fails with its own problem
    private static <Q> List<CompletionStage<List<RawBsonDocument>>> all(
            List<Q> queries,
            Predicate<Q> takes,
            Function<Q, CompletionStage<List<RawBsonDocument>>> alone,
            Supplier<List<CompletionStage<List<RawBsonDocument>>>> together) {
        if (queries.size() > 1 && queries.stream().allMatch(takes)) {
            try {
                return together.get().stream()
                        .map(DocumentReads::withoutDetails)
                        .toList();
            } catch (ProblemException _) {
                // found again below
            }
        }
        return queries.stream().map(alone).toList();
    }

    private List<CompletionStage<List<RawBsonDocument>>> lookups(List<ReadQuery> queries, Lease lease) {
        return coalesced
                .all(
                        queries.stream()
                                .map(query -> query.lookup(query.id().orElseThrow(), lookupLimit))
                                .toList(),
                        lease)
                .stream()
                .<CompletionStage<List<RawBsonDocument>>>map(found -> found.thenApply(DocumentReads::list))
                .toList();
    }

    /// Converts MongoDB's failures to problems, without messages that could quote documents.
    private static CompletionStage<List<RawBsonDocument>> withoutDetails(
            CompletionStage<List<RawBsonDocument>> answer) {
        return answer.exceptionallyCompose(failure -> {
            var cause = CombinedReads.cause(failure);
            return CompletableFuture.failedStage(MongoErrors.toProblem(cause)
                    .map(problem -> problem.unquoted().isPresent() ? problem.unquoting() : problem)
                    .<Throwable>map(Problem::raise)
                    .orElse(cause));
        });
    }
}
