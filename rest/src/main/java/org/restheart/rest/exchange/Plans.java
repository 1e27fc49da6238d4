package org.restheart.rest.exchange;

import static org.restheart.http.ProblemCode.FORBIDDEN;

import java.util.List;
import java.util.Optional;
import org.bson.BsonDocument;
import org.restheart.http.ProblemException;
import org.restheart.http.Response;
import org.restheart.http.access.Hidden;
import org.restheart.http.judged.JudgedRequest.Answer;
import org.restheart.http.parameter.DataParameter;

/// The parameter `explain`: responds with MongoDB's query plan in place of the results. A plan contains the filter
/// of the access rule and numbers of documents, so it is refused for callers from whom a rule hides documents or
/// fields. For access rules it is a management request.
public final class Plans {
    /// Fields of MongoDB's reply that describe the server and not the query.
    private static final List<String> LEFT_OUT =
            List.of("serverInfo", "serverParameters", "$clusterTime", "operationTime", "ok");

    private Plans() {}

    /// Whether the query is run for execution statistics; empty if neither `explain` nor a service asks for a plan.
    ///
    /// @throws org.restheart.http.ProblemException 400, 403
    public static Optional<Boolean> asked(DataRequest request) {
        var service = Answer.of(request.http(), Answer.Plan.class);
        if (service.isPresent()) {
            return service.map(Answer.Plan::executed);
        }
        var verbosity = request.parameters().values().choice(DataParameter.EXPLAIN);
        if (verbosity.isPresent()
                && (!request.grant().showsAll()
                        || request.http().attribute(Hidden.KEY).isPresent())) {
            throw new ProblemException(FORBIDDEN, "a plan would reveal documents or fields that a rule hides");
        }
        return verbosity.map("executionStats"::equals);
    }

    public static Response.Ready response(DataRequest request, BsonDocument plan) {
        if (Answer.of(request.http(), Answer.Plan.class).isPresent()) {
            return JsonResponses.empty(204).saying(plan);
        }
        LEFT_OUT.forEach(plan::remove);
        return JsonResponses.of(request, 200, plan);
    }
}
