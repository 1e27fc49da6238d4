package org.restheart.rest.changestream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.restheart.bson.BsonValues.object;
import static org.restheart.http.parameter.DataParameter.RESUME_AFTER;
import static org.restheart.http.parameter.DataParameter.START_AT;

import com.mongodb.MongoNamespace;
import com.mongodb.client.model.Collation;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonTimestamp;
import org.bson.BsonValue;
import org.restheart.bson.BsonValues;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.bson.fields.NamedEntries;
import org.restheart.http.Content;
import org.restheart.http.EventStream;
import org.restheart.http.FoundWarnings;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.WebSocketHandshake;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.Hidden;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.Via;
import org.restheart.http.push.Backlog;
import org.restheart.http.push.Frame;
import org.restheart.http.push.Transport;
import org.restheart.mongo.background.ChangeSource.Start;
import org.restheart.mongo.find.Projection;
import org.restheart.rest.aggregation.Interpolation;
import org.restheart.rest.aggregation.PipelineVariables;
import org.restheart.rest.changestream.SharedStream.StreamKey;
import org.restheart.rest.changestream.StreamDefinition.MalformedStream;
import org.restheart.rest.exchange.DataHandler;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.rest.guard.PipelineInspection;
import org.restheart.rest.parameter.ParameterWarnings;

/// `GET /{db}/{collection}/_streams/{uri}`: the changes of a collection as they happen, through a pipeline that
/// the collection's properties define. As a WebSocket or as server-sent events.
public record OpenStream(
        ChangeStreams streams,
        ChangeStreamConfig config,
        PipelineInspection inspection,
        Interpolation interpolation,
        boolean strictParameters)
        implements DataHandler {
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

    private List<BsonDocument> pipeline(StreamDefinition definition, List<BsonDocument> permitted, DataRequest request)
            throws MalformedStream {
        List<BsonDocument> pipeline;
        try {
            pipeline = interpolation
                    .forDefinition(definition.operatorsInVariables())
                    .fill(definition.stages(), PipelineVariables.of(request));
        } catch (ProblemException e) {
            var text = e.problem()
                    .cause()
                    .map(why -> why.asString().getValue())
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
        var entry = request.resource()
                .property(StreamDefinition.PROPERTY)
                .map(streams -> NamedEntries.of(streams).get(request.path().requireName()))
                .orElseThrow(() -> new ProblemException(ProblemCode.NOT_FOUND, "Change Stream does not exist"));
        var definition = StreamDefinition.parse(entry);
        var own = definition.notifyWhen().map(StreamDefinition.NotifyWhen::parameter).stream()
                .collect(Collectors.toSet());
        ParameterWarnings.ofUnknown(request.http(), ResourceKind.CHANGE_STREAM, own, strictParameters)
                .forEach(text -> FoundWarnings.add(request.http(), text));
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
        var head = switch (transport) {
            case WEB_SOCKET ->
                Response.status(101)
                        .with(WebSocketHandshake.answer(request.http().headers()));
            case SSE -> EventStream.head().with("Content-Type", "text/event-stream; charset=UTF-8");
        };
        return head.with(push(request, definition, pipeline, listener, from, beginning));
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
        var wanted = request.http().query().first(condition.parameter()).or(() -> variable(request, condition));
        if (wanted.isEmpty() && condition.required()) {
            throw new ProblemException(
                    ProblemCode.PARAMETER_INVALID,
                    "variable not bound: the query parameter " + condition.parameter() + " is required");
        }
        return wanted.<Predicate<BsonDocument>>map(value -> event -> condition.matches(event, value))
                .orElse(_ -> true);
    }

    /// The value from the variables, which are all that other ways in than REST have.
    private static Optional<String> variable(DataRequest request, StreamDefinition.NotifyWhen condition) {
        return request.parameters()
                .aggregationVariables()
                .filter(_ -> Via.isService(request.http()))
                .map(variables -> variables.get(condition.parameter()))
                .filter(BsonValue::isString)
                .map(value -> value.asString().getValue());
    }

    /// The requested start of a listener other than now: after an event that it has received or at its former
    /// beginning, by the header `Last-Event-ID` or the query parameter `resumeAfter`, or at a time, by
    /// `startAtOperationTime`.
    private static final class StartParameters {
        private static final String HEADER = "Last-Event-ID";

        private StartParameters() {}

        /// The position at which a listener begins that begins now, if it has requested one: as an id without
        /// an event, so that a client that is cut off before its first event misses nothing. Event sources
        /// store it (HTML, 9.2.6).
        ///
        /// @param from empty for now
        /// @param now asked only if it is needed
        static Optional<Frame> beginning(
                Request request, Transport transport, Optional<Start> from, Supplier<Start> now) {
            if (transport != Transport.SSE || from.isPresent() || !RESUME_AFTER.isIn(request.query())) {
                return Optional.empty();
            }
            return now.get() instanceof Start.At(var time)
                    ? Optional.of(new Frame(UTF_8.encode("id:" + id(time) + "\n\n"), 0))
                    : Optional.empty();
        }

        private static String id(BsonTimestamp time) {
            return "{\"$timestamp\": {\"t\": " + Integer.toUnsignedString(time.getTime()) + ", \"i\": "
                    + Integer.toUnsignedString(time.getInc()) + "}}";
        }

        /// Whether messages contain their resume tokens: WebSockets have no header for them, so a client
        /// requests another message format. An empty `resumeAfter` requests only that, and with server-sent
        /// events [#beginning].
        static boolean wantTokens(Request request, Transport transport) {
            return transport == Transport.WEB_SOCKET
                    && (RESUME_AFTER.isIn(request.query()) || START_AT.isIn(request.query()));
        }

        /// The header of a reconnecting event source takes precedence over its URL, which does not change.
        ///
        /// @param seal of the tokens that are taken, if they are not MongoDB's own
        /// @return empty for now
        /// @throws org.restheart.http.ProblemException 400
        static Optional<Start> parse(Request request, Transport transport, Optional<TokenSeal> seal) {
            if (transport == Transport.SSE) {
                var header = request.headers().first(HEADER).filter(text -> !text.isEmpty());
                if (header.isPresent()) {
                    return Optional.of(after(HEADER, header.get(), seal));
                }
            }
            var after = RESUME_AFTER.first(request.query()).filter(text -> !text.isEmpty());
            var at = START_AT.first(request.query());
            if (after.isPresent() && at.isPresent()) {
                throw refusal("either " + RESUME_AFTER.wireName() + " or " + START_AT.wireName() + " can be given");
            }
            if (after.isPresent()) {
                return Optional.of(after(RESUME_AFTER.wireName(), after.get(), seal));
            }
            return at.map(StartParameters::time).map(Start.At::new);
        }

        private static Optional<BsonValue> json(String text) {
            try {
                return Optional.of(JsonParser.parse(text));
            } catch (MalformedJsonException _) {
                return Optional.empty();
            }
        }

        private static Start after(String parameter, String text, Optional<TokenSeal> seal) {
            var position = json(text);
            if (position.isPresent() && position.get().isTimestamp()) {
                return new Start.At(position.get().asTimestamp());
            }
            return position.filter(
                            value -> value.isDocument() && value.asDocument().get("_data") instanceof BsonString)
                    .map(BsonValue::asDocument)
                    .flatMap(token -> seal.isPresent() ? seal.get().open(token) : Optional.of(token))
                    .map(Start.After::new)
                    .orElseThrow(() -> refusal(parameter + " is no resume token"));
        }

        /// A timestamp in Extended JSON, or seconds since 1970.
        private static BsonTimestamp time(String text) {
            var value = json(text).orElseThrow(StartParameters::noTime);
            if (value.isTimestamp()) {
                return value.asTimestamp();
            }
            long seconds = value.isNumber() ? value.asNumber().longValue() : -1;
            if (seconds < 0 || seconds > Integer.MAX_VALUE) {
                throw noTime();
            }
            return new BsonTimestamp((int) seconds, 0);
        }

        private static RuntimeException noTime() {
            return refusal(START_AT.wireName()
                    + " is neither {\"$timestamp\": {\"t\": seconds, \"i\": number}} nor seconds since 1970");
        }

        private static RuntimeException refusal(String text) {
            return new ProblemException(ProblemCode.BAD_REQUEST, "Cannot resume change stream: " + text);
        }
    }

    /// Stages that restrict changes to what a listener may read. They precede those of the definition, so
    /// that no stage sees more; listeners with the same rights share a cursor.
    static final class PermittedStages {
        /// The fields of an event that hold a document or a part of one.
        private static final List<String> DOCUMENTS =
                List.of("fullDocument", "fullDocumentBeforeChange", "documentKey");

        /// Further fields that a stage must keep.
        private static final List<String> OTHERS =
                List.of("_id", "operationType", "ns", "to", "clusterTime", "wallTime", "updateDescription");

        /// The field of the event while the document is in its place.
        private static final String EVENT = "restheart:event";

        /// Whether the event contains the document.
        private static final BsonDocument TOLD = stage("{$or: [{'" + EVENT + ".fullDocument': {$type: 'object'}}, {'"
                + EVENT + ".fullDocumentBeforeChange': {$type: 'object'}}]}");

        private PermittedStages() {}

        /// Selects changes of documents that match a filter, in MongoDB's full filter language: the event
        /// is temporarily replaced by the document. A deleted document is matched in its previous state,
        /// if the event contains it; changes without a document are excluded. The state of a document
        /// before it matched is removed, and so is what an update changed, as far as the document that
        /// matched does not show it.
        ///
        /// @param images whether the document of an update is that right after it, as opposed to a later
        ///     one: the document may have been hidden at the time of the update
        static List<BsonDocument> matching(BsonDocument filter, boolean images) {
            return List.of(
                    stage("{$replaceWith: {$mergeObjects: [{$ifNull: ['$fullDocument',"
                            + " '$fullDocumentBeforeChange']}, {'"
                            + EVENT + "': '$$ROOT'}]}}"),
                    object(
                            "$match",
                            object(
                                    "$or",
                                    List.of(
                                            stage("{'" + EVENT + ".documentKey': {$exists: false}}"),
                                            object("$and", List.of(TOLD, filter))))),
                    // computed, so that no stage is moved before it
                    stage("{$replaceWith: {$mergeObjects: ['$" + EVENT + "']}}"),
                    stage("""
                        {$set: {fullDocumentBeforeChange: {$cond: [{$eq: [{$type: '$fullDocument'}, 'object']},
                         '$$REMOVE', '$fullDocumentBeforeChange']}}}\
                        """),
                    object("$set", object("updateDescription", images ? ShownChanges.ofImages() : ShownChanges.NOW)));
        }

        /// Applies a projection to the documents of events.
        ///
        /// @param projection names fields with 1 or with 0
        /// @throws org.restheart.http.ProblemException 403 for a projection that computes
        static List<BsonDocument> projected(BsonDocument projection) {
            projection.values().forEach(value -> {
                if (!value.isNumber() && !value.isBoolean()) {
                    throw new ProblemException(
                            ProblemCode.FORBIDDEN,
                            "Cannot open change stream: the permission's projection has expressions");
                }
            });
            var shown = projection.entrySet().stream()
                    .filter(field -> BsonValues.isOn(field.getValue()))
                    .map(Map.Entry::getKey)
                    .toList();
            return shown.isEmpty() ? hiding(projection.keySet()) : showing(shown);
        }

        /// @param paths may be empty
        static List<BsonDocument> hiding(Collection<String> paths) {
            if (paths.isEmpty()) {
                return List.of();
            }
            var fields = new BsonDocument();
            DOCUMENTS.forEach(
                    document -> paths.forEach(path -> fields.append(document + "." + path, new BsonInt32(0))));
            return List.of(
                    object("$project", fields), changed(object("$not", List.of(matches("$$name", touching(paths))))));
        }

        private static List<BsonDocument> showing(Collection<String> paths) {
            var fields = new BsonDocument();
            OTHERS.forEach(name -> fields.append(name, new BsonInt32(1)));
            DOCUMENTS.forEach(
                    document -> paths.forEach(path -> fields.append(document + "." + path, new BsonInt32(1))));
            return List.of(object("$project", fields), changed(matches("$$name", within(paths))));
        }

        /// Keeps those fields of an update whose `$$name` satisfies a condition. MongoDB names them by
        /// dotted path.
        private static BsonDocument changed(BsonDocument condition) {
            var updated =
                    stage("{$arrayToObject: {$filter: {input: {$objectToArray: '$updateDescription.updatedFields'}}}}");
            updated.getDocument("$arrayToObject").getDocument("$filter").append("cond", let("$$this.k", condition));
            var removed = stage("{$filter: {input: '$updateDescription.removedFields'}}");
            removed.getDocument("$filter").append("cond", let("$$this", condition));
            var shown = object(
                    "$cond",
                    List.of(
                            stage("{$eq: [{$type: '$updateDescription'}, 'object']}"),
                            object("updatedFields", updated, "removedFields", removed),
                            "$$REMOVE"));
            return object("$set", object("updateDescription", shown));
        }

        private static BsonDocument let(String name, BsonDocument in) {
            return object("$let", object("vars", object("name", name), "in", in));
        }

        private static BsonDocument matches(String input, String regex) {
            return object("$regexMatch", object("input", input, "regex", regex, "options", "s"));
        }

        /// Matches paths within the given ones. Positions in arrays are ignored.
        private static String within(Collection<String> paths) {
            return "^(?:" + any(paths) + ")(?:\\..*)?$";
        }

        /// The same, and also paths that contain given ones.
        private static String touching(Collection<String> paths) {
            var ancestors = new ArrayList<String>();
            for (var path : paths) {
                for (int dot = path.indexOf('.'); dot > 0; dot = path.indexOf('.', dot + 1)) {
                    ancestors.add(path.substring(0, dot));
                }
            }
            return ancestors.isEmpty() ? within(paths) : within(paths) + "|^(?:" + any(ancestors) + ")(?:\\.[0-9]+)*$";
        }

        private static String any(Collection<String> paths) {
            return paths.stream()
                    .map(path -> Pattern.compile("\\.")
                            .splitAsStream(path)
                            .map(PermittedStages::literally)
                            .collect(Collectors.joining("(?:\\.[0-9]+)*\\.")))
                    .collect(Collectors.joining("|"));
        }

        private static String literally(String name) {
            return name.replaceAll("([^A-Za-z0-9_])", "\\\\$1");
        }

        private static BsonDocument stage(String json) {
            return BsonDocument.parse(json);
        }

        /// Expressions for the `updateDescription` of events whose `fullDocument` the listener may read.
        ///
        /// MongoDB looks up the document of an update when it delivers the event, so the update may be one
        /// of a time when the document was hidden: what it wrote is shown as far as the document still has
        /// it. What it removed is not.
        private static final class ShownChanges {
            /// The value of the document at the dotted path of `change`, as `{v}`, or without `v`. Names
            /// are compared by their bytes, whatever the collation.
            private static final String NOW_AT_PATH = """
                {$reduce: {
                  input: {$split: ['$$change.k', '.']},
                  initialValue: {v: '$fullDocument'},
                  in: {$switch: {
                    branches: [
                      {case: {$eq: [{$type: '$$value.v'}, 'object']},
                       then: {$ifNull: [{$first: {$filter: {
                         input: {$objectToArray: '$$value.v'},
                         as: 'field',
                         cond: {$and: [
                           {$eq: [{$indexOfBytes: ['$$field.k', '$$this']}, 0]},
                           {$eq: [{$strLenBytes: '$$field.k'}, {$strLenBytes: '$$this'}]}]}}}}, {}]}},
                      {case: {$and: [
                         {$eq: [{$type: '$$value.v'}, 'array']},
                         {$regexMatch: {input: '$$this', regex: '^[0-9]{1,9}$'}}]},
                       then: {v: {$arrayElemAt: ['$$value.v', {$toInt: '$$this'}]}}}],
                    default: {}}}}}\
                """;

            /// For documents that were looked up later. Values are taken from the document, since those
            /// that are equal by a collation need not be the same.
            static final BsonDocument NOW = BsonDocument.parse("""
                {$cond: [
                  {$eq: [{$type: '$updateDescription'}, 'object']},
                  {updatedFields: {$arrayToObject: {$map: {
                     input: {$filter: {
                       input: {$map: {
                         input: {$objectToArray: '$updateDescription.updatedFields'},
                         as: 'change',
                         in: {k: '$$change.k', v: '$$change.v', now: %s}}},
                       as: 'change',
                       cond: {$and: [
                         {$ne: [{$type: '$$change.now.v'}, 'missing']},
                         {$eq: ['$$change.now.v', '$$change.v']}]}}},
                     as: 'change',
                     in: {k: '$$change.k', v: '$$change.now.v'}}}},
                   removedFields: []},
                  '$$REMOVE']}\
                """.formatted(NOW_AT_PATH));

            private ShownChanges() {}

            /// For documents as they were right after the update: all of it, unless there is no such
            /// document.
            static BsonDocument ofImages() {
                return new BsonDocument(
                        "$cond",
                        new BsonArray(List.of(
                                BsonDocument.parse("{$eq: [{$type: '$fullDocument'}, 'object']}"),
                                new BsonString("$updateDescription"),
                                NOW)));
            }
        }
    }
}
