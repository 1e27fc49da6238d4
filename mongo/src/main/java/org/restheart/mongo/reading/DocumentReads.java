package org.restheart.mongo.reading;

import com.mongodb.MongoNamespace;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.restheart.data.Access;
import org.restheart.http.Lease;
import org.restheart.http.MemoryBudget;
import org.restheart.http.ProblemException;
import org.restheart.http.access.CallerScope;
import org.restheart.mongo.changestream.StreamDefinitions;
import org.restheart.mongo.coalescing.Coalescer;
import org.restheart.mongo.error.MongoErrors;
import org.restheart.mongo.find.DocumentSizes.Size;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.find.Finder.Use;
import org.restheart.mongo.guard.ForbiddenOperators;
import org.restheart.mongo.guard.PipelineInspection;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.mongo.metadata.ResourceMetadata;
import org.restheart.mongo.reading.CombinedReads.Equalities;
import org.restheart.mongo.reading.DocumentRead.Aggregate;
import org.restheart.mongo.reading.DocumentRead.Find;
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
    private final CombinedReads combined;

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
        this.combined = new CombinedReads(coalesced, this::read);
    }

    /// The reads of the documents to which others refer.
    public RelatedReads related() {
        return new RelatedReads(coalesced, commands);
    }

    /// The documents in order. Writing and forbidden stages are refused.
    ///
    /// @param lease owns them until it is closed
    public CompletionStage<List<RawBsonDocument>> read(DocumentRead read, Lease lease) {
        return withoutDetails(start(read, lease));
    }

    /// A few documents, which the process keeps for itself.
    public CompletionStage<List<RawBsonDocument>> read(DocumentRead read) {
        var lease = ofServer();
        return read(read, lease).whenComplete((_, _) -> lease.close());
    }

    private Lease ofServer() {
        return memory.open(() -> CallerScope.SERVER);
    }

    private void check(DocumentRead read) {
        inspection.requireOpen(read.namespace());
        switch (read) {
            case Find find -> operators.checkFilter(find.filter());
            case Aggregate pipeline ->
                inspection.check(pipeline.stages(), read.namespace().getDatabaseName());
        }
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

    private CompletionStage<List<RawBsonDocument>> start(DocumentRead read, Lease lease) {
        try {
            check(read);
            if (read instanceof Find find && read.rights().projectResponse().isEmpty()) {
                var id = find.id();
                return id.isPresent() && isPlain(find)
                        ? coalesced
                                .one(find.lookup(id.get(), lookupLimit), lease)
                                .thenApply(DocumentReads::list)
                        : coalesced.find(find.asFind(find.settings()), lease, use -> commands.run(find, use));
            }
            var pipeline = read.asPipeline(); // the filter must not depend on hidden fields
            var stages = pipeline.permitted();
            return coalesced
                    .share(read.key(), lease, command -> List.of(commands.run(pipeline, stages, read.limit(), command)))
                    .thenApply(List::getFirst);
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

    private boolean isPlain(Find find) {
        return collection(find.namespace()).plain();
    }

    private ResourceMetadata collection(MongoNamespace namespace) {
        return metadata.collection(namespace.getDatabaseName(), namespace.getCollectionName());
    }

    private static List<RawBsonDocument> list(Optional<RawBsonDocument> found) {
        return found.map(List::of).orElse(List.of());
    }

    /// The results of reads of one kind that differ only in filters, sorts and slices, or in stages, in their order,
    /// equal to those of separate ones. Where a read is refused, each fails with its own problem.
    ///
    /// @param lease owns the documents until it is closed
    public List<CompletionStage<List<RawBsonDocument>>> readAll(List<DocumentRead> reads, Lease lease) {
        if (reads.size() > 1 && reads.stream().map(DocumentRead::asPipeline).allMatch(Union::takes)) {
            try {
                return together(reads, lease).stream()
                        .map(DocumentReads::withoutDetails)
                        .toList();
            } catch (ProblemException _) {
                // found again below
            }
        }
        return reads.stream().map(read -> read(read, lease)).toList();
    }

    private List<CompletionStage<List<RawBsonDocument>>> together(List<DocumentRead> reads, Lease lease) {
        reads.forEach(this::check);
        var finds = reads.stream()
                .filter(Find.class::isInstance)
                .map(Find.class::cast)
                .toList();
        boolean plain = finds.size() == reads.size() && isPlain(finds.getFirst());
        if (plain && finds.stream().allMatch(find -> find.id().isPresent())) {
            return lookups(finds, lease);
        }
        return combined.run(reads, lease, (all, command) -> {
            var equalities = plain ? Equalities.of(all) : Optional.<Equalities>empty();
            return equalities
                    .flatMap(in -> in.distribute(commands.run(in.combined(), Use.alone(command))))
                    .orElseGet(() -> commands.union(
                            all.stream().map(DocumentRead::asPipeline).toList(), command));
        });
    }

    private List<CompletionStage<List<RawBsonDocument>>> lookups(List<Find> queries, Lease lease) {
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
            return CompletableFuture.failedStage(MongoErrors.unquoted(cause));
        });
    }
}
