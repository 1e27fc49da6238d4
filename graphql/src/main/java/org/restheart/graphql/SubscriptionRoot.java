package org.restheart.graphql;

import java.util.Optional;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonParser;
import org.restheart.graphql.app.FieldMapping;
import org.restheart.graphql.app.FieldShape;
import org.restheart.graphql.app.MappingVariables;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.push.Frame;
import org.restheart.http.push.Message;

/// The values of fields that streams are mapped to, in one execution.
@FunctionalInterface
interface SubscriptionRoot {
    /// For requests that are answered once.
    SubscriptionRoot NONE = (_, _, _) -> {
        throw new ProblemException(
                ProblemCode.BAD_REQUEST,
                "subscriptions are answered to 'Accept: text/event-stream', and on a WebSocket");
    };

    /// @throws org.restheart.http.ProblemException why there is no value
    @Nullable
    Object value(FieldMapping.Stream stream, MappingVariables variables, FieldShape shape);

    /// One change event, as a listener to server-sent events receives it, in Extended JSON.
    ///
    /// @param token of the position after it; JSON in one line
    record SourceEvent(String token, BsonDocument event) implements SubscriptionRoot {
        /// Empty for a frame that only has the position at which the stream begins.
        static Optional<SourceEvent> of(Frame frame) {
            return Message.of(frame).map(event -> new SourceEvent(event.id(), JsonParser.parseDocument(event.data())));
        }

        @Override
        public @Nullable Object value(FieldMapping.Stream stream, MappingVariables variables, FieldShape shape) {
            return stream.value(event).map(value -> shape.of(value, null)).orElse(null);
        }
    }
}
