package org.restheart.mongo.bulk;

import com.mongodb.client.model.UpdateManyModel;
import org.restheart.http.Response;
import org.restheart.mongo.content.Changes;
import org.restheart.mongo.content.ContentSize;
import org.restheart.mongo.content.FilterFields;
import org.restheart.mongo.exchange.Collections;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.guard.HiddenFields;
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
}
