package org.restheart.http;

import java.util.List;
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
    private final List<String> wrappers;

    public RequestContent(Supplier<BsonValue> parser) {
        this(parser, false, List.of());
    }

    private RequestContent(Supplier<BsonValue> parser, boolean arriving, List<String> wrappers) {
        this.parser = parser;
        this.arriving = arriving;
        this.wrappers = wrappers;
    }

    /// Content that may be read piece by piece from the request's body instead, as long as the whole value has not been
    /// read.
    public static RequestContent arriving(Supplier<BsonValue> parser) {
        return new RequestContent(parser, true, List.of());
    }

    /// This content, not read yet, of which access rules may speak as if it were in one of these fields, as clients may
    /// send it: `owner` and `metadata.owner` are then the same field.
    ///
    /// @param wrappers the fields
    public RequestContent wrappedIn(List<String> wrappers) {
        return new RequestContent(parser, arriving, List.copyOf(wrappers));
    }

    /// Where a field that an access rule names is in the value.
    ///
    /// @return empty for the whole value
    public String path(String named) {
        for (var wrapper : wrappers) {
            if (named.equals(wrapper)) {
                return "";
            }
            if (named.startsWith(wrapper + ".")) {
                return named.substring(wrapper.length() + 1);
            }
        }
        return named;
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
