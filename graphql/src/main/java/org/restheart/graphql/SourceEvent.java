package org.restheart.graphql;

import java.nio.charset.StandardCharsets;
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

    /// @throws IllegalArgumentException for a frame that is not an event
    static SourceEvent of(Frame frame) {
        var text = StandardCharsets.UTF_8.decode(frame.bytes().duplicate()).toString();
        int data = text.indexOf(DATA);
        if (!text.startsWith(ID) || data < 0) {
            throw new IllegalArgumentException("not an event");
        }
        try {
            return new SourceEvent(
                    text.substring(ID.length(), text.indexOf('\n')),
                    JsonParser.parse(text.substring(data + DATA.length())).asDocument());
        } catch (MalformedJsonException e) {
            throw new IllegalArgumentException("not an event", e);
        }
    }

    @Override
    public @Nullable Object value(FieldMapping.Stream stream, MappingVariables variables, FieldShape shape) {
        return stream.value(event).map(value -> shape.of(value, null)).orElse(null);
    }
}
