package org.restheart.mongo.coalescing;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.restheart.data.Executor;
import org.restheart.data.Flow;
import org.restheart.data.Operation.Authorized;
import org.restheart.data.Operation.Get;
import org.restheart.http.RequestStart;
import org.restheart.http.access.CallerScope;
import org.restheart.mongo.find.DocumentQuery;
import org.restheart.mongo.find.DriverFinder;

/// Sends each operation to MongoDB as a command of its own, on a thread of its own.
record Direct(DriverFinder documents) implements Executor {
    @Override
    public Flow<Found> get(Authorized<Get> read) {
        var query = DocumentQuery.of(read);
        return onThread(() -> new Found(documents.one(query), 0));
    }

    @Override
    public List<Flow<Found>> getAll(List<Authorized<Get>> reads) {
        return reads.stream().map(this::get).toList();
    }

    /// Runs a read for the callers of the current thread.
    static <T> Flow<T> onThread(Supplier<T> read) {
        return Flow.of(CompletableFuture.supplyAsync(
                read, task -> Thread.ofVirtual().name("read").start(CallerScope.carried(RequestStart.carried(task)))));
    }
}
