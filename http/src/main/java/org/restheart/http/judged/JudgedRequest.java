package org.restheart.http.judged;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonDocument;
import org.restheart.bson.JsonMode;
import org.restheart.bson.JsonWeight;
import org.restheart.data.Access;
import org.restheart.data.Operation;
import org.restheart.http.Body;
import org.restheart.http.ContentTrees;
import org.restheart.http.Fields;
import org.restheart.http.Headers;
import org.restheart.http.Method;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.attribute.Attributes;
import org.restheart.http.attribute.Key;
import org.restheart.http.parameter.DataParameter;
import org.restheart.http.parameter.OperationTable;
import org.restheart.text.Words;

/// A request of the REST API that performs an operation of another service. Immutable.
///
/// @param headers of the operation itself, such as `Content-Type` or `If-Match`; all others come from the client's
///     request
/// @param options attributes that clients of the REST API cannot set, by keys that the handlers read
public record JudgedRequest(
        Method method, RequestPath path, Query query, Fields headers, Body body, Via via, Attributes options) {

    /// What it does, if that is not what its method and path say: writes one of the documents that match its filter.
    public static final Key<Operation> OPERATION = Key.named("operation");

    /// How long MongoDB may work for it, if that is less than what the configuration allows.
    public static final Key<Duration> TIME_LIMIT = Key.named("time limit");

    /// Whether its query ends in MongoDB when no request waits for it any more: the waiting thread has been
    /// interrupted, and no request of another kind shares the query.
    public static final Key<Boolean> INTERRUPTIBLE = Key.named("interruptible");

    /// The names of parameters that the gateway has added to those of the client.
    public static final Key<Set<String>> ADDED = Key.named("added parameters");

    /// Whether its refusal is for the client: the one that the client's own request would get.
    public static final Key<Boolean> OF_CLIENT = Key.named("of client");

    /// Headers about the outer request's content, response or preconditions. All others, about the connection and the
    /// caller, are those of a judged request too.
    private static final Set<String> ABOUT_THE_OUTER_REQUEST = Words.of("""
        content-type content-length content-encoding content-disposition transfer-encoding accept
        accept-encoding range if-match if-none-match if-modified-since if-unmodified-since if-range
        idempotency-key prefer expect upgrade last-event-id\
        """);

    /// What the response has, in place of what parameters ask for.
    public sealed interface Answer {
        Key<Answer> KEY = Key.named("answer");

        /// Documents as JSON of this mode.
        record Json(JsonMode mode, Frame frame) implements Answer {
            public Json(JsonMode mode) {
                this(mode, Frame.ARRAY);
            }
        }

        /// What is written around documents.
        ///
        /// @param none in place of all if there are none
        record Frame(String opening, String closing, String none) {
            public static final Frame ARRAY = new Frame("[", "]", "[]");
        }

        /// Documents as values: one that is read by its id is said, of others the response has the BSON.
        record Values() implements Answer {}

        /// MongoDB's plan of a query or a pipeline, which the response says, with the access rule's filter.
        ///
        /// @param executed whether the query is run, so that the plan contains execution statistics
        record Plan(boolean executed) implements Answer {}

        /// [DataFacts] alone, which the response says after authorization and the check of parameters.
        record Facts() implements Answer {}

        /// The answer that a request has, if it is of this type.
        static <A extends Answer> Optional<A> of(Request request, Class<A> type) {
            return request.attribute(KEY).filter(type::isInstance).map(type::cast);
        }
    }

    /// The documents that the request reads or counts, in place of a page: any `skip` is allowed and `limit` is not
    /// bounded by the largest page size.
    ///
    /// @param limit at least 1; of a count: where it ends
    /// @param natural whether a request without a sort of its own takes them in MongoDB's natural order
    /// @param refused whether the last document of a pipeline's result is one too many: the result is refused while
    ///     nothing has been sent, and the response ends later
    public record Slice(long skip, int limit, boolean natural, boolean refused) {
        public static final Key<Slice> KEY = Key.named("slice");

        /// In natural order unless the request has a sort.
        public Slice(long skip, int limit) {
            this(skip, limit, true, false);
        }
    }

    public static JudgedRequest of(Method method, RequestPath path, Query query, Via via) {
        return new JudgedRequest(method, path, query, Fields.NONE, Body.EMPTY, via, Attributes.NONE);
    }

    /// @param target a path, perhaps with a query, as a client would send it
    /// @throws org.restheart.http.ProblemException 400 for more parameters or malformed percent-encoding
    public static JudgedRequest of(Method method, String target, int maxParameters, Via via) {
        int mark = target.indexOf('?');
        var path = RequestPath.parse(mark < 0 ? target : target.substring(0, mark));
        return of(method, path, mark < 0 ? Query.NONE : Query.parse(target.substring(mark + 1), maxParameters), via);
    }

    /// An operation on a collection, or on one thing in it.
    ///
    /// @param collection its path
    /// @param name of the thing: of an id as [DataPaths] spells it; empty for the collection
    public static JudgedRequest of(
            Operation operation, String collection, String name, Map<DataParameter, String> parameters, Via via) {
        var evidence = Evidence.of(operation);
        var request = at(evidence.method(), collection + evidence.below() + name, parameters, via);
        return OperationTable.of(evidence.kind(), evidence.method()) == operation
                ? request
                : request.with(OPERATION, operation);
    }

    /// @param target a path, perhaps with a query
    /// @param parameters come after those of the target
    private static JudgedRequest at(Method method, String target, Map<DataParameter, String> parameters, Via via) {
        var request = of(method, target, 2, via);
        var all = new LinkedHashMap<String, String>();
        request.query.names().forEach(name -> request.query.first(name).ifPresent(value -> all.put(name, value)));
        parameters.forEach((parameter, value) -> all.put(parameter.wireName(), value));
        return request.with(Query.of(all));
    }

    public JudgedRequest with(Query query) {
        return new JudgedRequest(method, path, query, headers, body, via, options);
    }

    public JudgedRequest withContent(byte[] json) {
        return new JudgedRequest(
                method, path, query, headers.with("Content-Type", Response.JSON), Body.of(json), via, options);
    }

    public JudgedRequest withHeader(String name, String value) {
        return new JudgedRequest(method, path, query, headers.with(name, value), body, via, options);
    }

    public JudgedRequest with(Answer answer) {
        return with(Answer.KEY, answer);
    }

    public <T> JudgedRequest with(Key<T> option, T value) {
        return new JudgedRequest(method, path, query, headers, body, via, options.with(option, value));
    }

    private static boolean isInherited(String header) {
        return !ABOUT_THE_OUTER_REQUEST.contains(header.toLowerCase(Locale.ROOT));
    }

    /// This request with the connection and the caller of the outer one, whose content is charged for what is made of
    /// its parameters.
    ///
    /// @throws org.restheart.http.ProblemException 503 if the caller holds too much already
    public Request inside(Request outer) {
        long weight = query.names().stream()
                .flatMap(name -> query.all(name).stream())
                .mapToLong(ContentTrees::weight)
                .sum();
        if (weight > 0) {
            outer.body().hold(weight);
        }
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

    /// The content of a request inside another one, which is charged for the copy and for what is made of it.
    private static final class InnerBody implements Body {
        private final Body content;
        private final Body outer;
        private boolean isCharged;

        private InnerBody(Body content, Body outer) {
            this.content = content;
            this.outer = outer;
        }

        /// Nothing is made of no content.
        static Body of(Body content, Body outer) {
            return content.isAbsent() ? content : new InnerBody(content, outer);
        }

        @Override
        public boolean isLongerThan(long most) {
            return content.isLongerThan(most);
        }

        /// Documents that are deep in the outer content may be elements of this one.
        @Override
        public byte[] bytes() {
            var bytes = content.bytes();
            if (!isCharged) {
                outer.hold(bytes.length + JsonWeight.of(bytes));
                isCharged = true;
            }
            return bytes;
        }

        @Override
        public void hold(long bytes) {
            outer.hold(bytes);
        }

        @Override
        public void holdTrees(long bytes) {
            outer.holdTrees(bytes);
        }
    }

    /// Facts about a judged request that is authorized and checked but not carried out: what access rules grant, and
    /// the metadata of the resource. Immutable.
    public interface DataFacts {
        ResourceKind kind();

        Access grant();

        /// Whether documents are sent as they are stored, as far as the grant shows them.
        boolean showsAsStored();

        /// Of the collection, or of the database; empty if it has none. Must not be changed.
        Optional<BsonDocument> properties();
    }
}
