package org.restheart.graphql;

import graphql.ExecutionResult;
import graphql.schema.DataFetchingEnvironment;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.graphql.app.FieldMapping.Loading;
import org.restheart.http.Lease;
import org.restheart.http.Response;
import org.restheart.http.access.CallerScope;
import org.restheart.mongo.reading.DocumentReads;
import org.restheart.mongo.reading.DocumentReads.KnownCollection;
import org.restheart.mongo.reading.ReadPipeline;
import org.restheart.mongo.reading.ReadQuery;

/// The load of an operation that loads one document ([SingleReadOperations]). The field waits until [#response]
/// completes it, so that the execution continues on a thread that this chooses. Used by one thread at a time.
final class SingleRead implements Execution.Loads {
    /// Bytes of documents.
    private static final int LARGE = 32 << 10;

    private final DocumentReads reads;
    private final KnownCollection collection;
    private final Lease lease;
    private final CompletableFuture<List<RawBsonDocument>> field = new CompletableFuture<>();
    private @Nullable CompletionStage<List<RawBsonDocument>> documents;

    /// @param lease owns what is read
    SingleRead(DocumentReads reads, KnownCollection collection, Lease lease) {
        this.lease = lease;
        this.reads = reads;
        this.collection = collection;
    }

    /// The documents that are being read; empty if the field was not fetched.
    Optional<CompletionStage<List<RawBsonDocument>>> documents() {
        return Optional.ofNullable(documents);
    }

    @Override
    public CompletionStage<List<RawBsonDocument>> find(
            String name, Loading loading, ReadQuery query, DataFetchingEnvironment environment) {
        if (documents != null) {
            throw new IllegalStateException("a second load of " + name);
        }
        documents = reads.find(query, collection, lease);
        return field;
    }

    @Override
    public CompletionStage<List<RawBsonDocument>> aggregate(
            String name, Loading loading, ReadPipeline query, DataFetchingEnvironment environment) {
        throw new IllegalStateException(name + " is a pipeline");
    }

    /// The response to an execution that waits for the documents. It continues on the thread that sends the response,
    /// which must not be occupied for long: with large documents it continues on a thread of its own. To be called
    /// on the caller's thread.
    ///
    /// @param found the documents
    /// @param outcome of the execution, complete when the documents are there
    /// @param answer builds the response, and closes what the execution holds
    Response response(
            CompletionStage<List<RawBsonDocument>> found,
            CompletableFuture<ExecutionResult> outcome,
            Function<CompletableFuture<ExecutionResult>, Response.Ready> answer) {
        var caller = CallerScope.current();
        Executor threads = task -> Thread.ofVirtual().name("graphql").start(() -> CallerScope.run(caller, task));
        CompletionStage<Supplier<Response.Ready>> finished = found.handle((loaded, failure) -> {
                    Supplier<Response.Ready> rest = () -> {
                        if (failure == null) {
                            field.complete(loaded);
                        } else {
                            field.completeExceptionally(failure);
                        }
                        return answer.apply(outcome);
                    };
                    return failure == null && isLarge(loaded)
                            ? CompletableFuture.supplyAsync(() -> evaluated(rest), threads)
                            : CompletableFuture.completedStage(rest);
                })
                .thenCompose(Function.identity());
        return Response.later(finished, Supplier::get);
    }

    private static boolean isLarge(List<RawBsonDocument> documents) {
        return documents.stream().mapToLong(RawBsonDocument::getByteLength).sum() > LARGE;
    }

    /// Failures are thrown to the thread that sends the response, as they are.
    private static Supplier<Response.Ready> evaluated(Supplier<Response.Ready> rest) {
        try {
            var ready = rest.get();
            return () -> ready;
        } catch (RuntimeException e) {
            return () -> {
                throw e;
            };
        }
    }
}
