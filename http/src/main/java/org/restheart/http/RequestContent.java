package org.restheart.http;

import java.util.function.Supplier;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/// The content of a data request as BSON, parsed when somebody first asks and then kept, so that access rules and
/// handlers see the same value and pay for it once. Confined to one request; nobody changes the value.
public final class RequestContent {
    public static final Key<RequestContent> KEY = Key.named("content");

    private final Supplier<BsonValue> parser;
    private @Nullable BsonValue value;
    private @Nullable ProblemException refusal;

    public RequestContent(Supplier<BsonValue> parser) {
        this.parser = parser;
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
