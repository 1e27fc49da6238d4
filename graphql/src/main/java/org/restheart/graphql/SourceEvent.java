package org.restheart.graphql;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.graphql.app.FieldMapping;
import org.restheart.graphql.app.FieldShape;
import org.restheart.graphql.app.MappingVariables;
import org.restheart.http.push.Frame;

/// One change event, as a listener to server-sent events receives it, in Extended JSON.
///
/// @param token of the position after it; JSON in one line
record SourceEvent(String token, BsonDocument event) implements SubscriptionRoot {
    private static final String ID = "id:";
    private static final String DATA = "\ndata:";

    /// Empty for a frame that only has the position at which the stream begins.
    ///
    /// @throws IllegalArgumentException for a frame of another kind
    static Optional<SourceEvent> of(Frame frame) {
        var text = StandardCharsets.UTF_8.decode(frame.bytes().duplicate()).toString();
        if (!text.startsWith(ID)) {
            throw new IllegalArgumentException("not an event");
        }
        int data = text.indexOf(DATA);
        if (data < 0) {
            return Optional.empty();
        }
        try {
            return Optional.of(new SourceEvent(
                    text.substring(ID.length(), text.indexOf('\n')),
                    JsonParser.parse(text.substring(data + DATA.length())).asDocument()));
        } catch (MalformedJsonException e) {
            throw new IllegalArgumentException("not an event", e);
        }
    }

    @Override
    public @Nullable Object value(FieldMapping.Stream stream, MappingVariables variables, FieldShape shape) {
        return stream.value(event).map(value -> shape.of(value, null)).orElse(null);
    }
}
