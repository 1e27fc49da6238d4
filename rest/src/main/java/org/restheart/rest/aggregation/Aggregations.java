package org.restheart.rest.aggregation;

import static org.restheart.http.ProblemCode.BAD_REQUEST;
import static org.restheart.http.ProblemCode.CONTENT_INVALID;
import static org.restheart.http.ProblemCode.FORBIDDEN;
import static org.restheart.http.ProblemCode.NOT_FOUND;
import static org.restheart.http.ProblemCode.UNPROCESSABLE;

import com.mongodb.MongoCommandException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.restheart.bson.BsonTexts;
import org.restheart.bson.RawDocuments;
import org.restheart.data.Access;
import org.restheart.http.ContentTrees;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Response;
import org.restheart.http.access.Hidden;
import org.restheart.http.judged.DataWrite;
import org.restheart.http.judged.JudgedRequest.Answer;
import org.restheart.http.judged.JudgedRequest.Slice;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.error.MongoErrors;
import org.restheart.mongo.find.DocumentSizes;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.find.Projection;
import org.restheart.mongo.find.StagedFilter;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.rest.exchange.Plans;
import org.restheart.rest.format.DocumentContent;
import org.restheart.rest.format.DocumentContent.Room;
import org.restheart.rest.format.DocumentFormat;
import org.restheart.rest.guard.IndexCheck;
import org.restheart.rest.guard.PipelineInspection;
import org.restheart.rest.guard.ReadingStages;
import org.restheart.rest.hal.HalPages;
import org.restheart.rest.parameter.FormatParameters.Representation;

/// Runs aggregations that collections declare, and pipelines of clients. Thread-safe.
public record Aggregations(
        DriverFinder documents,
        DocumentSizes sizes,
        PipelineInspection inspection,
        Interpolation interpolation,
        IndexCheck indexes,
        Duration timeLimit) {
    private static final int BATCH = 500;
    private static final int DEFAULT_LIMIT = 100;
    private static final List<String> KEYS = List.of("stages", "avars", "limit");

    /// `GET /{db}/{collection}/_aggrs/{uri}`: runs an aggregation that the collection declares and returns
    /// all results.
    public Response declared(DataRequest request) {
        var aggregation = find(request);
        var stages = interpolation
                .forDefinition(aggregation.operatorsInVariables())
                .fill(aggregation.stages(), PipelineVariables.of(request));
        request.http().requireThread();
        inspection.check(stages, request.path().requireDb());
        checkEnds(stages);
        if (writes(stages) && request.http().attribute(DataWrite.FORBIDDEN).orElse(false)) {
            throw new ProblemException(FORBIDDEN, "this aggregation writes");
        }
        try {
            var plan = Plans.asked(request);
            if (plan.isPresent()) {
                return explain(request, stages, plan.get());
            }
            indexes.require(request, stages, request.readSettings(timeLimit));
            return writes(stages) ? write(request, aggregation, stages) : read(request, aggregation, stages);
        } catch (MongoCommandException e) {
            throw rejected(e);
        }
    }

    private static Aggregation find(DataRequest request) {
        var name = request.path().requireName();
        return request.resource().property("aggrs").map(Aggregation::parseAll).orElse(List.of()).stream()
                .filter(aggregation -> aggregation.uri().equals(name))
                .findFirst()
                .orElseThrow(() -> new ProblemException(NOT_FOUND, "query does not exist"));
    }

    /// Refuses stages that never end: MongoDB would occupy the request and a connection without end.
    private static void checkEnds(List<BsonDocument> stages) {
        if (!stages.isEmpty() && stages.getFirst().containsKey("$changeStream")) {
            throw new ProblemException(UNPROCESSABLE, "$changeStream has no end: declare a stream instead");
        }
    }

    private static boolean writes(List<BsonDocument> stages) {
        return !stages.isEmpty()
                && (stages.getLast().containsKey("$out") || stages.getLast().containsKey("$merge"));
    }

    private Response explain(DataRequest request, List<BsonDocument> stages, boolean executes) {
        if (executes && writes(stages)) {
            throw new ProblemException(UNPROCESSABLE, "a pipeline that writes is not run for its plan");
        }
        return Plans.response(
                request, documents.explain(request.namespace(), stages, request.readSettings(timeLimit), executes));
    }

    private Response write(DataRequest request, Aggregation aggregation, List<BsonDocument> stages) {
        request.http().attribute(DataWrite.NOTED).ifPresent(noted -> noted.set(true));
        documents
                .aggregate(request.namespace(), stages, request.readSettings(timeLimit))
                .allowDiskUse(aggregation.allowDiskUse())
                .toCollection();
        return DocumentContent.response(request.http().lease(), List.of(), format(request));
    }

    private Response read(DataRequest request, Aggregation aggregation, List<BsonDocument> stages) {
        var shown = new ArrayList<>(stages);
        shown.addAll(Projection.stages(request.grant().projectResponse()));
        var settings = request.readSettings(timeLimit);
        return DocumentContent.response(
                new Room(request.http().lease(), sizes.of(request.namespace(), aggregation.uri()), BATCH),
                batch -> documents.results(request.namespace(), shown, settings, aggregation.allowDiskUse(), batch),
                format(request).shownTo(request.http()));
    }

    private static DocumentFormat format(DataRequest request) {
        return request.parameters().format().representation() == Representation.STANDARD
                ? DocumentFormat.of(
                        request.http(), request.parameters().format().jsonMode())
                : HalPages.results(request);
    }

    /// Errors of the pipeline are reported in full; failures of the deployment are not client errors, and
    /// those of a transaction are none of the pipeline.
    private static RuntimeException rejected(MongoCommandException e) {
        var problem = MongoErrors.toProblem(e).orElseThrow(() -> e);
        if (problem.status() != 400 || problem.code() == BAD_REQUEST) {
            return problem.raise(e);
        }
        return Problem.of(UNPROCESSABLE, "error executing aggregation")
                .orElse("error executing aggregation: " + MongoCodes.error(e.getErrorCode()))
                .because(MongoErrors.details(e))
                .raise();
    }

    /// `POST /{db}/{collection}/_aggrs` with `{stages, avars, limit}`: runs a pipeline sent by the client,
    /// for callers whose permission has `allowAdHocAggregations`.
    ///
    /// The pipeline is preceded by the read filter and the projection of the permission. It never writes,
    /// and reads other collections only if the caller is unrestricted.
    public Response adHoc(DataRequest request) {
        if (request.content().isArray()) {
            throw invalid("a pipeline is sent as {\"stages\": [...]}");
        }
        var content = request.contentDocument();
        ContentTrees.admit(request.http().body(), RawDocuments.values(content));
        requireKnown(content);
        var given = stages(content);
        var variables = content.get("avars", new BsonDocument());
        if (!variables.isDocument()) {
            throw invalid("avars must be an object");
        }
        // Without the server's variables, which would reveal the rule to the client.
        var stages = Interpolation.OF_AGGREGATIONS.fill(given, new PipelineVariables(variables.asDocument()));
        request.http().requireThread();
        inspection.check(stages, request.path().requireDb());
        var pipeline = shown(request);
        allowed(request, pipeline).check(stages);
        pipeline.addAll(stages);
        pipeline.add(new BsonDocument("$limit", new BsonInt32(limit(request, content))));
        try {
            return run(request, pipeline);
        } catch (MongoCommandException e) {
            throw rejectedAdHoc(e);
        }
    }

    /// What is not read must not satisfy rules about content.
    private static void requireKnown(BsonDocument content) {
        var unknown =
                content.keySet().stream().filter(key -> !KEYS.contains(key)).toList();
        if (!unknown.isEmpty()) {
            throw invalid("unknown keys: " + String.join(", ", unknown) + "; a pipeline is sent with "
                    + String.join(", ", KEYS));
        }
    }

    private static List<BsonDocument> stages(BsonDocument content) {
        if (!(content.get("stages") instanceof BsonArray array)) {
            throw invalid("stages must be an array of objects");
        }
        var stages = new ArrayList<BsonDocument>();
        for (var stage : array) {
            if (!stage.isDocument()) {
                throw invalid("stages must be an array of objects");
            }
            stages.add(RawDocuments.toTree(stage).asDocument());
        }
        return stages;
    }

    /// The stages that restrict the input of the client's stages.
    private static List<BsonDocument> shown(DataRequest request) {
        var pipeline = new ArrayList<>(StagedFilter.stages(request.grant().readFilter()));
        pipeline.addAll(Projection.stages(request.grant().projectResponse()));
        request.http().attribute(Hidden.KEY).ifPresent(hidden -> {
            pipeline.add(new BsonDocument("$unset", BsonTexts.array(hidden.properties())));
        });
        return pipeline;
    }

    private static ReadingStages allowed(DataRequest request, List<BsonDocument> rule) {
        return request.grant() instanceof Access.Root
                ? ReadingStages.OF_EVERYTHING
                : rule.isEmpty() ? ReadingStages.OF_COLLECTION : ReadingStages.WITHIN_RULES;
    }

    private static int limit(DataRequest request, BsonDocument content) {
        var slice = request.http().attribute(Slice.KEY);
        if (slice.isPresent()) {
            return slice.get().limit();
        }
        BsonValue limit = content.get("limit", new BsonInt32(DEFAULT_LIMIT));
        if (!limit.isNumber()
                || limit.asNumber().intValue() < 1
                || limit.asNumber().intValue() > DEFAULT_LIMIT) {
            throw invalid("limit must be a number from 1 to " + DEFAULT_LIMIT);
        }
        return limit.asNumber().intValue();
    }

    private Response run(DataRequest request, List<BsonDocument> pipeline) {
        var namespace = request.namespace();
        var settings = request.readSettings(timeLimit);
        var plan = Answer.of(request.http(), Answer.Plan.class);
        if (plan.isPresent()) {
            return Plans.response(
                    request,
                    documents.explain(namespace, pipeline, settings, plan.get().executed()));
        }
        indexes.require(request, pipeline, settings);
        var format = DocumentFormat.of(
                        request.http(), request.parameters().format().jsonMode())
                .shownTo(request.http());
        return DocumentContent.response(
                new Room(request.http().lease(), sizes.of(namespace, "aggregate"), BATCH),
                batch -> documents.results(namespace, pipeline, settings, null, batch),
                request.http()
                        .attribute(Slice.KEY)
                        .filter(Slice::refused)
                        .map(slice -> format.bounded(slice.limit() - 1))
                        .orElse(format));
    }

    private static RuntimeException invalid(String message) {
        return new ProblemException(CONTENT_INVALID, message);
    }

    private static RuntimeException rejectedAdHoc(MongoCommandException e) {
        var problem = MongoErrors.toProblem(e).orElseThrow(() -> e);
        if (problem.status() != 400) {
            return problem.raise(e);
        }
        return Problem.of(UNPROCESSABLE, problem.message())
                .because(MongoErrors.details(e))
                .raise();
    }
}
