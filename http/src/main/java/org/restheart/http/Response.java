package org.restheart.http;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// What a handler answers: now, or when it is there. Immutable.
public sealed interface Response {
    String JSON = "application/json; charset=UTF-8";

    /// This response changed by `change`, at once or when it arrives.
    Response map(UnaryOperator<Ready> change);

    /// This response, or what `rescue` makes of a failure that arrives instead of it.
    Response recover(Function<Throwable, Ready> rescue);

    /// An empty response.
    static Ready status(int status) {
        return new Ready(status, Fields.NONE, Content.NONE);
    }

    /// A response of JSON text.
    static Ready json(int status, String json) {
        return status(status).with(JSON, Content.Bytes.of(json.getBytes(StandardCharsets.UTF_8)));
    }

    /// A response that is complete.
    record Ready(int status, Fields headers, Content content) implements Response {
        public Ready with(String name, String value) {
            return new Ready(status, headers.with(name, value), content);
        }

        /// With one line more, whatever lines of that name there are.
        public Ready withAlso(String name, String value) {
            return new Ready(status, headers.plus(name, value), content);
        }

        public Ready with(Fields more) {
            return new Ready(status, headers.plus(more), content);
        }

        public Ready with(String contentType, Content content) {
            return new Ready(status, headers.with("Content-Type", contentType), content);
        }

        public Ready with(Content content) {
            return new Ready(status, headers, content);
        }

        public Ready withStatus(int status) {
            return new Ready(status, headers, content);
        }

        @Override
        public Ready map(UnaryOperator<Ready> change) {
            return change.apply(this);
        }

        @Override
        public Ready recover(Function<Throwable, Ready> rescue) {
            return this;
        }
    }

    /// A response that will arrive, when `outcome` does.
    static <T> Deferred<T> later(CompletionStage<T> outcome, Function<T, Ready> answer) {
        return Deferred.of(outcome, answer);
    }

    /// A response that will arrive: a coalesced read or write whose flight is under way. Whoever brings the outcome
    /// makes no response of it: that, and every change the pipeline wants, is done by the one who sends it.
    final class Deferred<T> implements Response {
        private final CompletionStage<T> outcome;
        private final Answer<T> answer;

        /// What becomes of an outcome: exactly one of the two is given.
        @FunctionalInterface
        private interface Answer<T> {
            Ready of(@Nullable T outcome, @Nullable Throwable failure);
        }

        private Deferred(CompletionStage<T> outcome, Answer<T> answer) {
            this.outcome = outcome;
            this.answer = answer;
        }

        private static <T> Deferred<T> of(CompletionStage<T> outcome, Function<T, Ready> answer) {
            return new Deferred<>(outcome, (value, failure) -> {
                if (value == null) {
                    throw thrown(failure);
                }
                return answer.apply(value);
            });
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

        /// Lets the owner of the outcome ask `waiter` whether it is still wanted.
        public void awaitedBy(Withdrawable.Waiter waiter) {
            if (outcome instanceof Withdrawable withdrawable) {
                withdrawable.awaitedBy(waiter);
            }
        }

        /// Tells `receiver` when the outcome is there, on the thread that brings it, which is not to be held up: the
        /// response is made when the receiver asks for it. The supplier throws what nobody has recovered from.
        public void whenThere(Consumer<Supplier<Ready>> receiver) {
            var _ = outcome.whenComplete((value, failure) -> receiver.accept(() -> answer.of(value, failure)));
        }
    }
}
