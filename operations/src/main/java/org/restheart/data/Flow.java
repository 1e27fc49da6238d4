package org.restheart.data;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// A value that is there or comes later, known elsewhere as a future; who produces it can be told that nobody waits for
/// it any more. Thread-safe.
public final class Flow<T> {
    private final CompletionStage<T> value;
    private final @Nullable Withdrawable producer;

    private Flow(CompletionStage<T> value, @Nullable Withdrawable producer) {
        this.value = value;
        this.producer = producer;
    }

    /// @param value may be [Withdrawable]
    public static <T> Flow<T> of(CompletionStage<T> value) {
        return new Flow<>(value, value instanceof Withdrawable producer ? producer : null);
    }

    /// @param change must not block: it may run on the thread that completes the value
    public <U> Flow<U> map(Function<T, U> change) {
        return new Flow<>(value.thenApply(change), producer);
    }

    /// @param change gets the value or the failure; must not block
    public <U> Flow<U> handle(BiFunction<@Nullable T, @Nullable Throwable, U> change) {
        return new Flow<>(
                value.handle((there, failure) -> change.apply(there, failure == null ? null : cause(failure))),
                producer);
    }

    /// @param change of the failure; must not block
    public Flow<T> mapFailure(UnaryOperator<Throwable> change) {
        return new Flow<>(
                value.exceptionallyCompose(failure -> CompletableFuture.failedStage(change.apply(cause(failure)))),
                producer);
    }

    /// The value for those that await it by the JDK's means, by which it cannot be withdrawn.
    public CompletionStage<T> stage() {
        return value;
    }

    /// This flow; calls `gone` when the value is not wanted any more and its production was not started.
    public Flow<T> whenWithdrawn(Runnable gone) {
        if (producer == null) {
            return this;
        }
        return new Flow<>(
                value,
                waiter -> producer.awaitedBy(withdrawal -> waiter.withdrawIfGone(() -> {
                    boolean withdrawn = withdrawal.getAsBoolean();
                    if (withdrawn) {
                        gone.run();
                    }
                    return withdrawn;
                })));
    }

    /// Calls the receiver with the value or the failure, on the thread that completes it, which must not be blocked.
    public void whenThere(BiConsumer<@Nullable T, @Nullable Throwable> receiver) {
        var _ = value.whenComplete((there, failure) -> receiver.accept(there, failure == null ? null : cause(failure)));
    }

    /// Lets the producer ask `waiter` whether the value is still wanted; ignored if it cannot be withdrawn.
    public void awaitedBy(Withdrawable.Waiter waiter) {
        if (producer != null) {
            producer.awaitedBy(waiter);
        }
    }

    private static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException wrapped && wrapped.getCause() != null
                ? wrapped.getCause()
                : failure;
    }

    /// A value that may take long, and that need not be produced once nobody waits for it. Thread-safe.
    public interface Withdrawable {
        /// Sets the waiter. Called once, before the value is requested.
        void awaitedBy(Waiter waiter);

        /// Knows whether the value is still wanted. Thread-safe.
        @FunctionalInterface
        interface Waiter {
            /// Runs `withdrawal`, immediately or soon on another thread, if nobody waits any more, for example since
            /// the client has disconnected. Does not block.
            ///
            /// @param withdrawal returns true if the production had not been started; it is then cancelled
            void withdrawIfGone(BooleanSupplier withdrawal);
        }
    }
}
