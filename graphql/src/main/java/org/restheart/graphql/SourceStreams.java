package org.restheart.graphql;

import com.mongodb.MongoNamespace;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.graphql.app.FieldMapping;
import org.restheart.graphql.app.FieldShape;
import org.restheart.graphql.app.MappingVariables;
import org.restheart.http.Content;
import org.restheart.http.Method;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.judged.Via;
import org.restheart.http.push.Subscription;

/// Opens declared change streams by the caller's REST request for them, so that its access rules hold, and so that
/// listeners share cursors. Thread-safe.
public final class SourceStreams {
    private static final Via VIA = Via.of(Via.Service.GRAPHQL, "subscription");
    private static final JsonEncoder ENCODER = JsonEncoder.of(JsonMode.EXTENDED);

    private final Function<MongoNamespace, Optional<RequestPath>> paths;
    private final JudgedRequests judged;

    /// @param paths the paths of collections in the REST API
    public SourceStreams(Function<MongoNamespace, Optional<RequestPath>> paths, JudgedRequests judged) {
        this.paths = paths;
        this.judged = judged;
    }

    /// Returns when every write acknowledged from now on will be delivered, as server-sent events in Extended JSON.
    /// Blocks.
    ///
    /// @param resumeAfter the token of the last known event; an empty text to begin now, with a first frame that
    ///     has the position but no event; empty to begin now
    /// @throws org.restheart.http.ProblemException what the REST request is refused with
    Subscription open(
            Request request, FieldMapping.Stream stream, MappingVariables variables, Optional<String> resumeAfter) {
        var path = paths.apply(stream.namespace()).orElseThrow(JudgedRequests.NOT_PERMITTED::raise);
        var segments = new ArrayList<>(path.segments());
        segments.addAll(List.of("_streams", stream.uri()));
        var parameters = new HashMap<String, String>();
        stream.bound(variables)
                .ifPresent(values -> parameters.put("avars", ENCODER.encodeToString(values.asDocument())));
        resumeAfter.filter(String::isEmpty).ifPresent(now -> parameters.put("resumeAfter", now));
        var inner = JudgedRequest.of(Method.GET, RequestPath.of(segments), Query.of(parameters), VIA)
                .withHeader("Accept", "text/event-stream")
                .with(JudgedRequest.JSON_MODE, JsonMode.EXTENDED);
        var token = resumeAfter.filter(text -> !text.isEmpty());
        var response = judged.make(
                request, token.map(id -> inner.withHeader("Last-Event-ID", id)).orElse(inner));
        if (response.settled().content() instanceof Content.Push(var subscription)) {
            return subscription;
        }
        throw new ProblemException(ProblemCode.INTERNAL, "the change stream could not be opened");
    }

    /// Opens the stream of one operation, while it is executed for the first time, without an event.
    final class Opening implements SubscriptionRoot {
        private final Request request;
        private final Optional<String> resumeAfter;
        private Optional<Subscription> opened = Optional.empty();

        Opening(Request request, Optional<String> resumeAfter) {
            this.request = request;
            this.resumeAfter = resumeAfter;
        }

        @Override
        public @Nullable Object value(FieldMapping.Stream stream, MappingVariables variables, FieldShape shape) {
            if (opened.isPresent()) {
                throw new ProblemException(ProblemCode.BAD_REQUEST, "a subscription has one field");
            }
            opened = Optional.of(open(request, stream, variables, resumeAfter));
            return null;
        }

        /// The stream, if the operation is a subscription that could be opened. To be closed by its `onGone`.
        Optional<Subscription> opened() {
            return opened;
        }
    }
}
