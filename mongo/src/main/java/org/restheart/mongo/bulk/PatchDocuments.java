package org.restheart.mongo.bulk;

import com.mongodb.client.model.UpdateManyModel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.restheart.bson.fields.Update;
import org.restheart.http.Response;
import org.restheart.mongo.content.Changes;
import org.restheart.mongo.content.ContentSize;
import org.restheart.mongo.content.FilterFields;
import org.restheart.mongo.exchange.Collections;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.DocumentRule;
import org.restheart.mongo.guard.HiddenFields;
import org.restheart.mongo.write.CheckedChanges;
import org.restheart.mongo.write.WrittenCheck;

/// `PATCH /{db}/{collection}/*`: changes every document that the filter matches; their entity tags stay. Where the
/// collection has a rule for its documents, those that it refuses stay as they are.
public final class PatchDocuments implements DataHandler {
    private final Collections collections;
    private final BulkWrite bulk;
    private final CheckedPatch checked;

    public PatchDocuments(Collections collections, BulkWrite bulk) {
        this.collections = collections;
        this.bulk = bulk;
        this.checked = new CheckedPatch(collections, bulk.timeLimit());
    }

    @Override
    public Response handle(DataRequest request) {
        ContentSize.check(request);
        HiddenFields.checkChange(request, request.contentDocument());
        var update = Changes.ofDocuments(request, request.contentDocument());
        var condition = WrittenCheck.condition(request);
        if (condition.isPresent()
                && FilterFields.mayLeave(
                        condition.get(), update, request.grant().mergeRequest())) {
            throw WrittenCheck.outside();
        }
        request.http().requireThread();
        var rule = request.rule().filter(schema -> !schema.skipsUnsupported());
        return rule.isPresent()
                ? checked.run(request, rule.get(), update)
                : bulk.run(
                        request,
                        collections.of(request),
                        new UpdateManyModel<>(request.writeFilter(), update.document()));
    }

    /// A change of many documents of a collection with a rule: of each document that the rule refuses the report has an
    /// error, with its `_id` and the reason as far as the caller may know them.
    ///
    /// @param timeLimit zero for none
    private record CheckedPatch(Collections collections, Duration timeLimit) {
        /// @throws org.restheart.http.ProblemException 400 for a refused document within a transaction of the
        ///     client; 408 after the time limit, when some documents may be changed
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
            return new BulkReport(
                            0,
                            List.of(),
                            List.of(),
                            0,
                            Math.toIntExact(disclose ? outcome.modified() : outcome.changed()),
                            Math.toIntExact(outcome.matched()),
                            errors,
                            disclose ? outcome.refused() - outcome.refusals().size() : 0)
                    .response(request);
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
}
