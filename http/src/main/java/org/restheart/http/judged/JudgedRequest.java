package org.restheart.http.judged;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.restheart.bson.JsonMode;
import org.restheart.data.Access;
import org.restheart.data.Operation;
import org.restheart.http.Body;
import org.restheart.http.Fields;
import org.restheart.http.Headers;
import org.restheart.http.Method;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.http.Words;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.attribute.Attributes;
import org.restheart.http.attribute.Key;

/// A request of the REST API that performs an operation of another service. Immutable.
///
/// @param headers of the operation itself, such as `Content-Type` or `If-Match`; all others come from the client's
///     request
/// @param options attributes that clients of the REST API cannot set, by keys that the handlers read
public record JudgedRequest(
        Method method, RequestPath path, Query query, Fields headers, Body body, Via via, Attributes options) {

    /// What it does, if that is not what its method and path say: writes one of the documents that match its filter.
    public static final Key<Operation> OPERATION = Key.named("operation");

    /// How documents are written, in place of the parameter `jsonMode`.
    public static final Key<JsonMode> JSON_MODE = Key.named("JSON mode");

    /// How long MongoDB may work for it, if that is less than what the configuration allows.
    public static final Key<Duration> TIME_LIMIT = Key.named("time limit");

    /// Whether its query ends in MongoDB when no request waits for it any more: the waiting thread has been
    /// interrupted, and no request of another kind shares the query.
    public static final Key<Boolean> INTERRUPTIBLE = Key.named("interruptible");

    /// The most documents of a pipeline's result, if that is not simply cut off: one more is refused while nothing
    /// has been sent, and ends the response later.
    public static final Key<Integer> MOST_DOCUMENTS = Key.named("most documents");

    /// Headers about the outer request's content, response or preconditions. All others, about the connection and the
    /// caller, are those of a judged request too.
    private static final Set<String> ABOUT_THE_OUTER_REQUEST = Words.of("""
        content-type content-length content-encoding content-disposition transfer-encoding accept
        accept-encoding range if-match if-none-match if-modified-since if-unmodified-since if-range
        idempotency-key prefer expect upgrade last-event-id\
        """);

    /// Requests MongoDB's plan of a query or a pipeline in place of its results. The response says it, with the access
    /// rule's filter. The value is whether the query is run, so that the plan contains execution statistics.
    public static final Key<Boolean> PLAN = Key.named("plan");

    /// Whether documents are not written as JSON: one that is read by its id is said, of others the response has the
    /// BSON.
    public static final Key<Boolean> AS_VALUE = Key.named("as value");

    /// The documents that the request reads or counts, in place of a page: any `skip` is allowed and `limit` is not
    /// bounded by the largest page size.
    ///
    /// @param limit at least 1; of a count: where it ends
    /// @param natural whether a request without a sort of its own takes them in MongoDB's natural order
    public record Slice(long skip, int limit, boolean natural) {
        public static final Key<Slice> KEY = Key.named("slice");

        /// In natural order unless the request has a sort.
        public Slice(long skip, int limit) {
            this(skip, limit, true);
        }
    }

    /// The position of a listener in its change stream, for services that listen for a while and resume later.
    /// Thread-safe.
    @FunctionalInterface
    public interface StreamPosition {
        /// Receives the position of the listener that a judged request adds.
        Key<Consumer<StreamPosition>> ASKED = Key.named("stream position");

        /// A resume token up to which every event is in the listener's backlog; empty until that is known.
        Optional<String> reached();
    }

    public static JudgedRequest of(Method method, RequestPath path, Query query, Via via) {
        return new JudgedRequest(method, path, query, Fields.NONE, Body.EMPTY, via, Attributes.NONE);
    }

    /// @param target a path, perhaps with a query, as [DataPaths] spells them
    /// @param parameters come after those of the target
    public static JudgedRequest at(Method method, String target, Map<String, String> parameters, Via via) {
        int mark = target.indexOf('?');
        var all = new LinkedHashMap<String, String>();
        if (mark >= 0) {
            var query = Query.parse(target.substring(mark + 1), 2);
            query.names().forEach(name -> query.first(name).ifPresent(value -> all.put(name, value)));
        }
        all.putAll(parameters);
        return of(method, RequestPath.parse(mark < 0 ? target : target.substring(0, mark)), Query.of(all), via);
    }

    public JudgedRequest withContent(byte[] json) {
        return new JudgedRequest(
                method, path, query, headers.with("Content-Type", Response.JSON), Body.of(json), via, options);
    }

    public JudgedRequest withHeader(String name, String value) {
        return new JudgedRequest(method, path, query, headers.with(name, value), body, via, options);
    }

    public <T> JudgedRequest with(Key<T> option, T value) {
        return new JudgedRequest(method, path, query, headers, body, via, options.with(option, value));
    }

    private static boolean isInherited(String header) {
        return !ABOUT_THE_OUTER_REQUEST.contains(header.toLowerCase(Locale.ROOT));
    }

    /// This request with the connection and the caller of the outer one.
    public Request inside(Request outer) {
        var attributes = options.with(Via.KEY, via);
        if (outer.attribute(DataWrite.FORBIDDEN).orElse(false)) {
            attributes = attributes.with(DataWrite.FORBIDDEN, true);
        }
        var noted = outer.attribute(DataWrite.NOTED);
        if (noted.isPresent()) {
            attributes = attributes.with(DataWrite.NOTED, noted.get());
        }
        return new Request(
                outer.id(),
                method,
                path,
                query,
                new Headers.Overlay(headers, outer.headers(), JudgedRequest::isInherited),
                InnerBody.of(body, outer.body()),
                outer.connection(),
                outer.caller().with(new Access.Root()),
                attributes,
                outer.lease(),
                outer.mayBlock());
    }

    /// The content of a request inside another one, which is charged for what is made of it.
    private record InnerBody(Body content, Body outer) implements Body {
        /// Nothing is made of no content.
        static Body of(Body content, Body outer) {
            return content.isAbsent() ? content : new InnerBody(content, outer);
        }

        @Override
        public boolean isLongerThan(long most) {
            return content.isLongerThan(most);
        }

        @Override
        public byte[] bytes() {
            return content.bytes();
        }

        @Override
        public InputStream stream() throws IOException {
            return content.stream();
        }

        @Override
        public boolean isHere() {
            return content.isHere();
        }

        @Override
        public void hold(long bytes) {
            outer.hold(bytes);
        }
    }

    /// Facts about a judged request that is authorized and checked but not carried out: what access rules grant, and
    /// the metadata of the resource. Immutable; `properties` must not be changed.
    ///
    /// @param properties of the collection, or of the database; empty if it has none
    public record DataFacts(ResourceKind kind, Access grant, Optional<BsonDocument> properties) {
        /// Set for requests that only ask for these facts: the response says them after authorization and the check of
        /// parameters, in place of the handler's.
        public static final Key<Boolean> ASKED = Key.named("facts");
    }
}
