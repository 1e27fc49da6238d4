package org.restheart.mongo.aggregation;

import static org.restheart.http.ProblemCode.BAD_REQUEST;
import static org.restheart.http.ProblemCode.FORBIDDEN;
import static org.restheart.http.ProblemCode.NOT_FOUND;
import static org.restheart.http.ProblemCode.UNPROCESSABLE;

import com.mongodb.MongoCommandException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Response;
import org.restheart.http.judged.DataWrite;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.error.MongoErrors;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.Plans;
import org.restheart.mongo.find.DocumentSizes;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.find.Projection;
import org.restheart.mongo.format.DocumentContent;
import org.restheart.mongo.format.DocumentContent.Room;
import org.restheart.mongo.format.DocumentFormat;
import org.restheart.mongo.format.DocumentFormat.JsonArray;
import org.restheart.mongo.guard.PipelineInspection;
import org.restheart.mongo.hal.HalPages;
import org.restheart.mongo.parameter.FormatParameters.Representation;

/// `GET /{db}/{collection}/_aggrs/{uri}`: runs an aggregation that the collection declares and returns all results.
public final class RunAggregation implements DataHandler {
    private static final int BATCH = 500;

    private final DriverFinder documents;
    private final DocumentSizes sizes;
    private final Duration timeLimit;
    private final PipelineInspection inspection;
    private final Interpolation interpolation;

    public RunAggregation(
            DriverFinder documents,
            DocumentSizes sizes,
            PipelineInspection inspection,
            Interpolation interpolation,
            Duration timeLimit) {
        this.interpolation = interpolation;
        this.documents = documents;
        this.sizes = sizes;
        this.timeLimit = timeLimit;
        this.inspection = inspection;
    }

    @Override
    public Response handle(DataRequest request) {
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
                format(request));
    }

    private static DocumentFormat format(DataRequest request) {
        return request.parameters().format().representation() == Representation.STANDARD
                ? JsonArray.of(request.parameters().format().jsonMode())
                : HalPages.results(request);
    }

    /// Errors of the pipeline are reported in full; failures of the deployment are not client errors, and
    /// those of a transaction are none of the pipeline.
    private static RuntimeException rejected(MongoCommandException e) {
        var problem = MongoErrors.toProblem(e).orElseThrow(() -> e);
        if (problem.status() != 400 || problem.code() == BAD_REQUEST) {
            return problem.raise();
        }
        return Problem.of(UNPROCESSABLE, "error executing aggregation")
                .orElse("error executing aggregation: " + MongoCodes.error(e.getErrorCode()))
                .because("com.mongodb.MongoCommandException", MongoErrors.details(e))
                .raise();
    }
}
