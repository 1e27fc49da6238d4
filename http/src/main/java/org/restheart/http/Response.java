package org.restheart.http;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.UnaryOperator;

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

    /// A response that will arrive: a coalesced read or write whose flight is under way.
    record Deferred(CompletionStage<Ready> eventual) implements Response {
        @Override
        public Deferred map(UnaryOperator<Ready> change) {
            return new Deferred(eventual.thenApply(change));
        }

        @Override
        public Deferred recover(Function<Throwable, Ready> rescue) {
            return new Deferred(eventual.exceptionally(rescue));
        }
    }
}
