package org.restheart.mongo.bulk;

import static org.restheart.http.ProblemCode.NOT_IMPLEMENTED;

import com.mongodb.client.model.UpdateManyModel;
import org.restheart.http.Problem;
import org.restheart.http.Response;
import org.restheart.mongo.content.Changes;
import org.restheart.mongo.content.ContentSize;
import org.restheart.mongo.content.FilterFields;
import org.restheart.mongo.exchange.Collections;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.guard.HiddenFields;
import org.restheart.mongo.write.WrittenCheck;

/// `PATCH /{db}/{collection}/*`: changes every document that the filter matches; their entity tags stay.
public final class PatchDocuments implements DataHandler {
    private final Collections collections;
    private final BulkWrite bulk;

    public PatchDocuments(Collections collections, BulkWrite bulk) {
        this.collections = collections;
        this.bulk = bulk;
    }

    @Override
    public Response handle(DataRequest request) {
        ContentSize.check(request);
        HiddenFields.checkChange(request, request.contentDocument());
        var update = Changes.ofDocuments(request, request.contentDocument());
        refuseWhereSchemasApply(request);
        var condition = WrittenCheck.condition(request);
        if (condition.isPresent()
                && FilterFields.mayLeave(
                        condition.get(), update, request.grant().mergeRequest())) {
            throw WrittenCheck.outside();
        }
        request.http().requireThread();
        return bulk.run(
                request, collections.of(request), new UpdateManyModel<>(request.writeFilter(), update.document()));
    }

    /// A schema cannot be checked against documents that were not read.
    private static void refuseWhereSchemasApply(DataRequest request) {
        if (request.rule().filter(rule -> !rule.skipsUnsupported()).isPresent()) {
            throw Problem.of(
                            NOT_IMPLEMENTED,
                            "'jsonSchema' checker does not support bulk PATCH requests. Set 'skipNotSupported:true' to"
                                    + " allow them.")
                    .raise();
        }
    }
}
