package org.restheart.http;

import java.util.List;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.http.attribute.Key;

/// The content of a data request as BSON, parsed at the first access, so that access rules and handlers use the
/// same value. Confined to one request; the value must not be changed.
public final class RequestContent {
    public static final Key<RequestContent> KEY = Key.named("content");

    private final Supplier<BsonValue> parser;
    private @Nullable BsonValue value;
    private @Nullable ProblemException refusal;

    private final boolean arriving;
    private final List<String> wrappers;

    /// Content that is parsed as a whole.
    public RequestContent(Supplier<BsonValue> parser) {
        this(parser, false, List.of());
    }

    private RequestContent(Supplier<BsonValue> parser, boolean arriving, List<String> wrappers) {
        this.parser = parser;
        this.arriving = arriving;
        this.wrappers = wrappers;
    }

    /// Content that the handler may also read piece by piece from the request's body, while [#isUnread()].
    public static RequestContent arriving(Supplier<BsonValue> parser) {
        return new RequestContent(parser, true, List.of());
    }

    /// This content, unread, for clients that may wrap it in one of these fields: access rules then find the
    /// same value by `owner` and by `metadata.owner`.
    public RequestContent wrappedIn(List<String> wrappers) {
        return new RequestContent(parser, arriving, List.copyOf(wrappers));
    }

    /// The path in [#value()] of a field as access rules name it, without the name of a wrapper.
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

    /// Whether the body may be read piece by piece. False once [#value()] was called: an access rule may
    /// depend on the value, which must then be the one that is used.
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

    /// Checks the documents of one request in the form in which they would be stored, before the first one is stored.
    /// Called on a thread that may block.
    @FunctionalInterface
    public interface DocumentCheck {
        Key<DocumentCheck> KEY = Key.named("document check");

        /// @throws ProblemException if one of them must not be stored: then none is
        void check(List<? extends BsonDocument> documents);
    }
}
