package org.restheart.http;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.restheart.http.Response.Ready;
import org.restheart.http.access.CallerScope;

/// The outcome of a step that has moved to a virtual thread, in the scope of its request. What is around the step goes
/// on with the deferred response. Thread-safe.
final class StepOnThread extends CompletableFuture<Supplier<Ready>> implements Withdrawable {
    private final CompletableFuture<Waiter> waiter = new CompletableFuture<>();

    private StepOnThread() {}

    /// Control flow, not a failure: thrown only by [Request#requireThread()] and caught only by [Handler#resumed], so
    /// that nothing else has to undo its own work.
    static final class Needed extends RuntimeException {
        @SuppressWarnings("StaticAssignmentOfThrowable") // it has no stack trace and happens on the hot path
        static final Needed SIGNAL = new Needed();

        private Needed() {
            super("needs a thread that may block", null, false, false);
        }
    }

    /// @throws ProblemException 503 if the request has ended
    static Response begin(Request request, Handler step) {
        var begun = new StepOnThread();
        if (!request.lease().tryRetain()) {
            throw Lease.full();
        }
        Thread.ofVirtual().name("worker").start(RequestStart.carried(CallerScope.lent(() -> begun.run(request, step))));
        return Response.later(begun, Supplier::get);
    }

    private void run(Request request, Handler step) {
        try {
            switch (step.handle(request)) {
                case Ready ready -> complete(() -> ready);
                case Response.Deferred<?> deferred -> {
                    var _ = waiter.thenAccept(deferred::awaitedBy);
                    deferred.whenThere(this::complete);
                }
            }
        } catch (RuntimeException | Error failure) {
            completeExceptionally(failure);
        } finally {
            request.lease().close();
        }
    }

    @Override
    public void awaitedBy(Waiter known) {
        waiter.complete(known);
    }
}
