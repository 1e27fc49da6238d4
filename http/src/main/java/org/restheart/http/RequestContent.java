package org.restheart.http;

import java.util.function.Supplier;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.http.attribute.Key;

/// The content of a data request as BSON, parsed when somebody first asks and then kept, so that access rules and
/// handlers see the same value and pay for it once. Confined to one request; nobody changes the value.
public final class RequestContent {
    public static final Key<RequestContent> KEY = Key.named("content");

    private final Supplier<BsonValue> parser;
    private @Nullable BsonValue value;
    private @Nullable ProblemException refusal;

    private final boolean arriving;

    public RequestContent(Supplier<BsonValue> parser) {
        this(parser, false);
    }

    private RequestContent(Supplier<BsonValue> parser, boolean arriving) {
        this.parser = parser;
        this.arriving = arriving;
    }

    /// Content that may be read piece by piece from the request's body instead, as long as nobody has asked for the
    /// whole.
    public static RequestContent arriving(Supplier<BsonValue> parser) {
        return new RequestContent(parser, true);
    }

    /// Whether the body may be read piece by piece. Not if somebody has seen the whole content, since they may have
    /// based a decision on it, nor if they put another in its place.
    public boolean isUnread() {
        return arriving && value == null && refusal == null;
    }

    /// The content as a document or an array; an empty document if there is none.
    ///
    /// @throws ProblemException 400 or 415, the same one each time
    public BsonValue value() {
        if (refusal != null) {
            throw refusal;
        }
        if (value == null) {
            try {
                value = parser.get();
            } catch (ProblemException e) {
                refusal = e;
                throw e;
            }
        }
        return value;
    }
}
