package org.restheart.http;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// The response of a handler: complete or deferred. What its methods are given must not block. Immutable.
public sealed interface Response {
    String JSON = "application/json; charset=UTF-8";

    /// This response changed by `change`, immediately or on completion. A failure is passed on unchanged.
    Response map(UnaryOperator<Ready> change);

    /// This response, or the result of `rescue` if it is deferred and fails; `rescue` may throw another failure.
    Response recover(Function<Throwable, Ready> rescue);

    /// This response; if it is deferred and fails, with the failure that `change` returns. Errors of the JVM are passed
    /// on unchanged.
    Response mapFailure(UnaryOperator<RuntimeException> change);

    /// This response. Runs `action` immediately, or when a deferred response has been built or has failed.
    Response whenDone(Runnable action);

    /// This response. Calls `nanos` with the time that it takes to build a deferred response, once it is there.
    Response timed(LongConsumer nanos);

    /// The completed response. Blocks for a deferred response, so it must be called on a thread that may
    /// block.
    ///
    /// @throws RuntimeException the failure of a deferred response
    Ready settled();

    static Ready status(int status) {
        return new Ready(status, Fields.NONE, Content.NONE, null);
    }

    static Ready json(int status, String json, Lease lease) {
        return status(status).with(JSON, Content.Bytes.of(json.getBytes(StandardCharsets.UTF_8), lease));
    }

    /// @param json small, as [Content.Bytes#small]
    static Ready json(int status, String json) {
        return status(status).with(JSON, Content.Bytes.small(json.getBytes(StandardCharsets.UTF_8)));
    }

    /// A complete response.
    ///
    /// @param said what it says, for services of this process; null if that is in the content alone
    record Ready(
            int status,
            Fields headers,
            Content content,
            @Nullable Object said) implements Response {
        /// With exactly one header line of that name.
        public Ready with(String name, String value) {
            return withHeaders(headers.with(name, value));
        }

        /// The same, if there is a value.
        public Ready with(String name, Optional<String> value) {
            return value.map(text -> with(name, text)).orElse(this);
        }

        /// With one more header line, in addition to existing lines of that name.
        public Ready withAlso(String name, String value) {
            return withHeaders(headers.plus(name, value));
        }

        /// With more header lines, in addition to existing lines of the same names.
        public Ready with(Fields more) {
            return withHeaders(headers.plus(more));
        }

        public Ready withHeaders(Fields headers) {
            return new Ready(status, headers, content, said);
        }

        public Ready with(String contentType, Content content) {
            return new Ready(status, headers.with("Content-Type", contentType), content, said);
        }

        public Ready with(Content content) {
            return new Ready(status, headers, content, said);
        }

        public Ready withStatus(int status) {
            return new Ready(status, headers, content, said);
        }

        /// With its result as a value, which is never sent.
        public Ready saying(Object result) {
            return new Ready(status, headers, content, result);
        }

        /// The result, if there is one of that type.
        public <T> Optional<T> said(Class<T> type) {
            return type.isInstance(said) ? Optional.of(type.cast(said)) : Optional.empty();
        }

        @Override
        public Ready map(UnaryOperator<Ready> change) {
            return change.apply(this);
        }

        @Override
        public Ready recover(Function<Throwable, Ready> rescue) {
            return this;
        }

        @Override
        public Ready mapFailure(UnaryOperator<RuntimeException> change) {
            return this;
        }

        @Override
        public Ready whenDone(Runnable action) {
            action.run();
            return this;
        }

        @Override
        public Ready timed(LongConsumer nanos) {
            return this;
        }

        @Override
        public Ready settled() {
            return this;
        }
    }

    /// A response that is completed with `outcome`, and fails if that fails.
    ///
    /// @param answer builds the response, on the thread that sends it
    static <T> Deferred<T> later(CompletionStage<T> outcome, Function<T, Ready> answer) {
        return new Deferred<>(outcome, (value, failure) -> {
            if (value == null) {
                throw Deferred.thrown(failure);
            }
            return answer.apply(value);
        });
    }

    /// A response that is completed later, such as that of a coalesced read or write. The thread that completes the
    /// outcome does not build the response: the thread that sends it does, and applies the changes of the pipeline.
    final class Deferred<T> implements Response {
        private final CompletionStage<T> outcome;
        private final Answer<T> answer;

        /// Maps an outcome: exactly one of the two arguments is given.
        @FunctionalInterface
        private interface Answer<T> {
            Ready of(@Nullable T outcome, @Nullable Throwable failure);
        }

        private Deferred(CompletionStage<T> outcome, Answer<T> answer) {
            this.outcome = outcome;
            this.answer = answer;
        }

        private static RuntimeException thrown(@Nullable Throwable failure) {
            return switch (failure) {
                case Error error -> throw error;
                case RuntimeException unchecked -> unchecked;
                case null -> new IllegalStateException("an outcome without a value");
                default -> new CompletionException(failure);
            };
        }

        @Override
        public Deferred<T> map(UnaryOperator<Ready> change) {
            return new Deferred<>(outcome, (value, failure) -> change.apply(answer.of(value, failure)));
        }

        @Override
        public Deferred<T> recover(Function<Throwable, Ready> rescue) {
            return new Deferred<>(outcome, (value, failure) -> {
                try {
                    return answer.of(value, failure);
                } catch (RuntimeException | Error thrown) {
                    return rescue.apply(thrown);
                }
            });
        }

        @Override
        public Deferred<T> mapFailure(UnaryOperator<RuntimeException> change) {
            return new Deferred<>(outcome, (value, failure) -> {
                try {
                    return answer.of(value, failure);
                } catch (RuntimeException thrown) {
                    throw change.apply(thrown);
                }
            });
        }

        @Override
        public Deferred<T> whenDone(Runnable action) {
            return new Deferred<>(outcome, (value, failure) -> {
                try {
                    return answer.of(value, failure);
                } finally {
                    action.run();
                }
            });
        }

        @Override
        public Deferred<T> timed(LongConsumer nanos) {
            return new Deferred<>(outcome, (value, failure) -> {
                long began = System.nanoTime();
                try {
                    return answer.of(value, failure);
                } finally {
                    nanos.accept(System.nanoTime() - began);
                }
            });
        }

        @Override
        public Ready settled() {
            var arrived = new CompletableFuture<Supplier<Ready>>();
            whenThere(arrived::complete);
            return arrived.join().get();
        }

        /// Lets the producer of the outcome ask `waiter` whether it is still needed; ignored if it
        /// cannot be withdrawn.
        public void awaitedBy(Withdrawable.Waiter waiter) {
            if (outcome instanceof Withdrawable withdrawable) {
                withdrawable.awaitedBy(waiter);
            }
        }

        /// Whether a thread of its own works for it.
        public boolean hasThread() {
            return outcome instanceof StepOnThread;
        }

        /// Calls `receiver` on the thread that completes the outcome, which must not be blocked: the
        /// response is built when the receiver calls the supplier. The supplier throws failures that
        /// were not recovered from.
        public void whenThere(Consumer<Supplier<Ready>> receiver) {
            var _ = outcome.whenComplete((value, failure) -> receiver.accept(() -> answer.of(value, failure)));
        }
    }
}
