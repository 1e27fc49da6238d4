package org.restheart.mongo.bulk;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.restheart.bson.fields.Update;
import org.restheart.http.Response;
import org.restheart.mongo.exchange.Collections;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.DocumentRule;
import org.restheart.mongo.guard.HiddenFields;
import org.restheart.mongo.write.CheckedChanges;

/// A change of many documents of a collection with a rule: of each document that the rule refuses the report has an
/// error, with its `_id` and the reason as far as the caller may know them.
///
/// @param timeLimit zero for none
record CheckedPatch(Collections collections, Duration timeLimit) {
    /// @throws org.restheart.http.ProblemException 400 for a refused document within a transaction of the
    /// client; 408
    ///     after the time limit, when some documents may be changed
    Response.Ready run(DataRequest request, DocumentRule rule, Update.Operators update) {
        boolean disclose = !HiddenFields.mayNotBeQuoted(request);
        var changes = new CheckedChanges(
                collections.client(),
                collections.of(request),
                request.session(),
                request.writeFilter(),
                update.document(),
                document -> rule.check(document, disclose));
        var outcome = changes.run(timeLimit).orElseThrow(() -> BulkWrite.outOfTime(timeLimit));
        var errors = new ArrayList<BsonDocument>();
        outcome.refusals().stream()
                .limit(disclose ? outcome.refusals().size() : 1) // how many says what others hold
                .forEach(refusal -> errors.add(error(refusal, disclose)));
        outcome.failure().ifPresent(failure -> errors.addAll(BulkReport.errors(request, failure, Set.of())));
        return BulkResponses.of(
                request,
                new BulkReport(
                        0,
                        List.of(),
                        List.of(),
                        0,
                        Math.toIntExact(disclose ? outcome.modified() : outcome.changed()),
                        Math.toIntExact(outcome.matched()),
                        errors,
                        disclose ? outcome.refused() - outcome.refusals().size() : 0));
    }

    private static BsonDocument error(CheckedChanges.Refusal refusal, boolean disclose) {
        var problem = refusal.why();
        var error = new BsonDocument("index", new BsonInt32(0));
        if (disclose) {
            error.append("_id", refusal.id());
        }
        return error.append("httpStatus", new BsonInt32(problem.status()))
                .append("message", new BsonString(problem.message()));
    }
}
