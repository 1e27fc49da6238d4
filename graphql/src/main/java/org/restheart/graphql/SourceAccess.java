package org.restheart.graphql;

import com.mongodb.MongoNamespace;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.data.Access;
import org.restheart.graphql.app.FieldMapping;
import org.restheart.graphql.app.FieldMapping.Source;
import org.restheart.graphql.app.FieldShape;
import org.restheart.graphql.app.MappingVariables;
import org.restheart.http.Content;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.JudgedRequest.Answer;
import org.restheart.http.judged.JudgedRequest.DataFacts;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.judged.Via;
import org.restheart.http.parameter.DataParameter;
import org.restheart.http.push.Subscription;

/// Access to what fields are mapped to: the read rights on collections, and declared change streams. The caller's
/// rights are determined, and streams opened, by its REST request for them, so that its access rules hold and listeners
/// share cursors. Thread-safe.
///
/// @param paths the paths of collections in the REST API
/// @param hidden projections that remove secrets, by collection
/// @param reserved collections that no app reads
public record SourceAccess(
        Function<MongoNamespace, Optional<RequestPath>> paths,
        JudgedRequests judged,
        Map<MongoNamespace, BsonDocument> hidden,
        Set<MongoNamespace> reserved) {
    private static final Via QUERY = Via.of(Via.Service.GRAPHQL, "query");
    private static final Via SUBSCRIPTION = Via.of(Via.Service.GRAPHQL, "subscription");
    private static final Problem NOT_FOR_CALLER = Problem.of(
            ProblemCode.FORBIDDEN,
            "Forbidden: this is read with the caller's permissions (\"as\": \"caller\"), and none allows it");
    private static final Problem CHANGED = Problem.of(
            ProblemCode.FORBIDDEN,
            "Forbidden: these documents are changed before they are sent, which is not done for \"as\": \"caller\"");
    private static final JsonEncoder ENCODER = JsonEncoder.of(JsonMode.EXTENDED);

    /// The rights with which a mapping reads: those of the app, which include everything except secrets, or those of
    /// the caller. May block.
    ///
    /// @throws ProblemException 403 if the caller may not read the collection, or no caller may
    Access rights(Request request, Source source) {
        if (reserved.stream().anyMatch(namespace -> isNamed(namespace, source.namespace()))) {
            throw JudgedRequests.NOT_PERMITTED.raise();
        }
        if (!source.asCaller()) {
            return new Access.Definer(Optional.ofNullable(hidden.get(source.namespace())));
        }
        var path = paths.apply(source.namespace()).orElseThrow(JudgedRequests.NOT_PERMITTED::raise);
        Optional<DataFacts> facts;
        try {
            facts = judged.facts(request, JudgedRequest.of(Method.GET, path, Query.NONE, QUERY));
        } catch (ProblemException e) {
            throw JudgedRequests.isNotPermitted(e.problem()) ? NOT_FOR_CALLER.raise() : e;
        }
        if (facts.filter(DataFacts::showsAsStored).isEmpty()) {
            throw facts.isEmpty() ? JudgedRequests.NOT_PERMITTED.raise() : CHANGED.raise();
        }
        return facts.get().grant();
    }

    /// Names are compared without regard to case, as on a case-insensitive file system.
    private static boolean isNamed(MongoNamespace reserved, MongoNamespace named) {
        return reserved.getFullName().equalsIgnoreCase(named.getFullName());
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
                .ifPresent(values -> parameters.put(
                        DataParameter.VARIABLES_OF_PIPELINE.wireName(), ENCODER.encodeToString(values.asDocument())));
        resumeAfter
                .filter(String::isEmpty)
                .ifPresent(now -> parameters.put(DataParameter.RESUME_AFTER.wireName(), now));
        var inner = JudgedRequest.of(Method.GET, RequestPath.of(segments), Query.of(parameters), SUBSCRIPTION)
                .withHeader("Accept", "text/event-stream")
                .with(new Answer.Json(JsonMode.EXTENDED));
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
