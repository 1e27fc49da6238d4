package org.restheart.mongo.changestream;

import com.mongodb.MongoNamespace;
import com.mongodb.client.model.Collation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.bson.BsonDocument;
import org.restheart.http.Content;
import org.restheart.http.EventStream;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Response;
import org.restheart.http.WebSocketHandshake;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.Hidden;
import org.restheart.http.push.Backlog;
import org.restheart.http.push.Frame;
import org.restheart.http.push.Transport;
import org.restheart.mongo.aggregation.Interpolation;
import org.restheart.mongo.aggregation.PipelineVariables;
import org.restheart.mongo.background.Start;
import org.restheart.mongo.changestream.StreamDefinition.MalformedStream;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.find.Projection;
import org.restheart.mongo.guard.PipelineInspection;
import org.restheart.mongo.parameter.UnknownParameters;

/// `GET /{db}/{collection}/_streams/{uri}`: the changes of a collection as they happen, through a pipeline that the
/// collection's properties define. As a WebSocket or as server-sent events.
public final class OpenStream implements DataHandler {
    private final ChangeStreams streams;
    private final ChangeStreamConfig config;
    private final PipelineInspection inspection;
    private final Interpolation interpolation;
    private final boolean strictParameters;

    /// @param strictParameters whether unknown query parameters are refused
    public OpenStream(
            ChangeStreams streams,
            ChangeStreamConfig config,
            PipelineInspection inspection,
            Interpolation interpolation,
            boolean strictParameters) {
        this.strictParameters = strictParameters;
        this.interpolation = interpolation;
        this.inspection = inspection;
        this.streams = streams;
        this.config = config;
    }

    @Override
    public Response handle(DataRequest request) {
        if (!config.enabled()) {
            throw new ProblemException(ProblemCode.METHOD_NOT_ALLOWED, "method GET not allowed");
        }
        request.http().requireThread();
        try {
            return open(request);
        } catch (MalformedStream e) {
            throw new ProblemException(
                    ProblemCode.INTERNAL, "Cannot open change stream: its definition is malformed: " + e.getMessage());
        }
    }

    /// @throws ProblemException 400 for a variable that is not bound, 403 for what is forbidden
    private List<BsonDocument> pipeline(StreamDefinition definition, List<BsonDocument> permitted, DataRequest request)
            throws MalformedStream {
        List<BsonDocument> pipeline;
        try {
            pipeline = interpolation
                    .forDefinition(definition.operatorsInVariables())
                    .fill(definition.stages(), PipelineVariables.of(request));
        } catch (ProblemException e) {
            var text = e.problem()
                    .exception()
                    .map(reported -> reported.message().asString().getValue())
                    .orElse(e.problem().message());
            if (e.problem().code() == ProblemCode.UNPROCESSABLE) {
                throw new MalformedStream(text);
            }
            throw Problem.of(ProblemCode.PARAMETER_INVALID, text)
                    .withHints(e.problem().hints())
                    .raise();
        }
        inspection.check(pipeline, request.path().requireDb());
        var all = new ArrayList<>(permitted);
        hidden(request).ifPresent(all::addAll);
        all.addAll(pipeline);
        return all;
    }

    /// The stages of the access rule. They precede those of the definition, so that they do not depend on them.
    private static List<BsonDocument> permitted(StreamDefinition definition, DataRequest request) {
        var grant = request.grant();
        var stages = new ArrayList<BsonDocument>();
        if (definition.applyReadFilter()) {
            grant.readFilter()
                    .map(filter -> PermittedStages.matching(filter, definition.hasImages()))
                    .ifPresent(stages::addAll);
        }
        if (definition.applyProjection()) {
            var shown =
                    Projection.of(grant.projectResponse(), new BsonDocument()).permitted();
            stages.addAll(PermittedStages.projected(shown));
        }
        return stages;
    }

    /// The same for fields that are hidden from all callers.
    private static Optional<List<BsonDocument>> hidden(DataRequest request) {
        return request.http()
                .attribute(Hidden.KEY)
                .map(hidden -> PermittedStages.hiding(new TreeSet<>(hidden.properties())));
    }

    private Response open(DataRequest request) throws MalformedStream {
        var entry = StreamDefinition.find(
                        request.resource().property(StreamDefinition.PROPERTY),
                        request.path().requireName())
                .orElseThrow(() -> new ProblemException(ProblemCode.NOT_FOUND, "Change Stream does not exist"));
        var definition = StreamDefinition.parse(entry);
        UnknownParameters.refuse(request.http(), known(definition), strictParameters);
        var transport = transport(request);
        var filter = filter(definition, request);
        var permitted = permitted(definition, request);
        var pipeline = pipeline(definition, permitted, request);
        var seal = permitted.isEmpty() ? Optional.<TokenSeal>empty() : Optional.of(streams.seal(request.namespace()));
        var from = StartParameters.parse(request.http(), transport, seal);
        var beginning = StartParameters.beginning(request.http(), transport, from, streams::now);
        var listener = new Listener(
                definition,
                transport,
                new Event.Form(
                        request.parameters().format().jsonMode(),
                        StartParameters.wantTokens(request.http(), transport),
                        seal),
                filter,
                new Backlog(
                        config.maxWaitingMessages(),
                        config.maxWaitingBytes(),
                        streams.budget(),
                        CallerScope.current()));
        return switch (transport) {
            case WEB_SOCKET -> {
                var answer = WebSocketHandshake.answer(request.http().headers());
                yield Response.status(101)
                        .with(answer)
                        .with(push(request, definition, pipeline, listener, from, beginning));
            }
            case SSE ->
                EventStream.head()
                        .with(
                                "text/event-stream; charset=UTF-8",
                                push(request, definition, pipeline, listener, from, beginning));
        };
    }

    private static Set<String> known(StreamDefinition definition) {
        var known = new HashSet<>(StartParameters.NAMES);
        definition.notifyWhen().ifPresent(condition -> known.add(condition.parameter()));
        return known;
    }

    private Content push(
            DataRequest request,
            StreamDefinition definition,
            List<BsonDocument> pipeline,
            Listener listener,
            Optional<Start> from,
            Optional<Frame> first) {
        MongoNamespace namespace = request.namespace();
        return new Content.Push(streams.subscribe(
                StreamKey.of(namespace, pipeline, collation(definition, request), definition),
                listener,
                request.http(),
                from,
                first));
    }

    /// The collection's own where the access rule is applied, which then means what it means for reads.
    private static Optional<Collation> collation(StreamDefinition definition, DataRequest request) {
        return definition.applyReadFilter() && request.grant().readFilter().isPresent()
                ? request.resource().collation()
                : Optional.empty();
    }

    private static Transport transport(DataRequest request) {
        var headers = request.http().headers();
        if (WebSocketHandshake.isAsked(headers)) {
            return Transport.WEB_SOCKET;
        }
        if (EventStream.isAccepted(headers)) {
            return Transport.SSE;
        }
        throw new ProblemException(
                ProblemCode.BAD_REQUEST,
                "Change Stream requires WebSocket or SSE — send either 'Upgrade: websocket' or"
                        + " 'Accept: text/event-stream'");
    }

    private static Predicate<BsonDocument> filter(StreamDefinition definition, DataRequest request) {
        if (definition.notifyWhen().isEmpty()) {
            return _ -> true;
        }
        var condition = definition.notifyWhen().get();
        var wanted = request.http().query().first(condition.parameter());
        if (wanted.isEmpty() && condition.required()) {
            throw new ProblemException(
                    ProblemCode.PARAMETER_INVALID, "the query parameter " + condition.parameter() + " is required");
        }
        return wanted.<Predicate<BsonDocument>>map(value -> event -> condition.matches(event, value))
                .orElse(_ -> true);
    }
}
