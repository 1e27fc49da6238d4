package org.restheart.http;

import java.util.function.Supplier;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.http.attribute.Key;

/// The content of a data request as BSON, parsed at the first access and then kept, so that access rules and handlers
/// share one value. Confined to one request; the value must not be changed.
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

    /// Content that may be read piece by piece from the request's body instead, as long as the whole value has not been
    /// read.
    public static RequestContent arriving(Supplier<BsonValue> parser) {
        return new RequestContent(parser, true);
    }

    /// Whether the body may be read piece by piece. False once the whole content has been read, since a decision may
    /// depend on it, or replaced.
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
