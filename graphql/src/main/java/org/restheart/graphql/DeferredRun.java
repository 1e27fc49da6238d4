package org.restheart.graphql;

import graphql.ExecutionResult;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.bson.RawBsonDocument;
import org.restheart.http.Response;
import org.restheart.http.access.CallerScope;

/// An execution that waits for its only load. It continues on the thread that sends the response, which must not be
/// occupied for long: with a large document it continues on a thread of its own.
///
/// @param outcome complete when the load is
/// @param answer builds the response, and closes what the execution holds
/// @param threads run tasks for the caller
record DeferredRun(
        SingleRead load,
        CompletableFuture<ExecutionResult> outcome,
        Function<CompletableFuture<ExecutionResult>, Response.Ready> answer,
        Executor threads) {
    /// Bytes of a document.
    private static final int LARGE = 32 << 10;

    /// To be called on the caller's thread.
    DeferredRun(
            SingleRead load,
            CompletableFuture<ExecutionResult> outcome,
            Function<CompletableFuture<ExecutionResult>, Response.Ready> answer) {
        this(load, outcome, answer, threadsOf(CallerScope.current()));
    }

    private static Executor threadsOf(String caller) {
        return task -> Thread.ofVirtual().name("graphql").start(() -> CallerScope.run(caller, task));
    }

    /// @param documents of the load
    Response response(CompletionStage<List<RawBsonDocument>> documents) {
        CompletionStage<Supplier<Response.Ready>> finished = documents
                .handle((found, failure) -> failure == null
                        ? continued(() -> load.arrived(found), isLarge(found))
                        : continued(() -> load.failed(failure), false))
                .thenCompose(Function.identity());
        return Response.later(finished, Supplier::get);
    }

    private static boolean isLarge(List<RawBsonDocument> documents) {
        long bytes = 0;
        for (var document : documents) {
            bytes += document.getByteLength();
        }
        return bytes > LARGE;
    }

    private CompletionStage<Supplier<Response.Ready>> continued(Runnable arrival, boolean isLarge) {
        Supplier<Response.Ready> rest = () -> {
            arrival.run();
            return answer.apply(outcome);
        };
        return isLarge
                ? CompletableFuture.supplyAsync(() -> evaluated(rest), threads)
                : CompletableFuture.completedStage(rest);
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
