package org.restheart.mongo.document;

import java.util.List;
import org.bson.types.ObjectId;
import org.restheart.bson.fields.Update;
import org.restheart.http.DocumentCheck;
import org.restheart.http.Response;
import org.restheart.mongo.content.Changes;
import org.restheart.mongo.content.ContentSize;
import org.restheart.mongo.content.FilterFields;
import org.restheart.mongo.exchange.Collections;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.guard.HiddenFields;
import org.restheart.mongo.parameter.WriteMode;
import org.restheart.mongo.write.Preconditions;
import org.restheart.mongo.write.SessionCollection;
import org.restheart.mongo.write.TargetDocument;
import org.restheart.mongo.write.WriteOutcome;
import org.restheart.mongo.write.WriteResponses;
import org.restheart.mongo.write.WrittenCheck;

/// `PATCH /{db}/{collection}/{id}`: changes fields of a document, by operators or by a pipeline.
public final class PatchDocument implements DataHandler {
    private final Collections collections;
    private final Preconditions preconditions;
    private final WrittenCheck writtenCheck;

    public PatchDocument(Collections collections, Preconditions preconditions) {
        this.collections = collections;
        this.preconditions = preconditions;
        this.writtenCheck = new WrittenCheck(collections);
    }

    @Override
    public Response handle(DataRequest request) {
        ContentSize.check(request);
        var etag = new ObjectId();
        HiddenFields.checkChange(request, request.content());
        var update = Changes.ofDocument(request, request.content(), etag);
        request.http().requireThread();
        var target = new TargetDocument(
                SessionCollection.of(collections, request),
                request.id(),
                request.writeFilter(),
                preconditions.ofDocument(request));
        return SingleWrites.reported(
                request,
                collections,
                () -> WriteResponses.of(
                        write(request, target, update),
                        etag.toHexString(),
                        "The ETag must be provided using the 'If-Match' header"));
    }

    private WriteOutcome write(DataRequest request, TargetDocument target, Update update) {
        var mode = request.parameters().writeMode().orElse(WriteMode.UPDATE);
        if (request.rule().isEmpty()
                && request.http().attribute(DocumentCheck.KEY).isEmpty()
                && !mayLeaveGrant(request, update, mode)) {
            return target.update(update, mode);
        }
        return target.update(update, mode, collections.client(), document -> {
            writtenCheck.check(request, List.of(document));
            request.rule().ifPresent(rule -> rule.check(document, seesAll(request)));
        });
    }

    private static boolean mayLeaveGrant(DataRequest request, Update update, WriteMode mode) {
        return WrittenCheck.condition(request)
                .filter(condition -> mode != WriteMode.UPDATE
                        || FilterFields.mayLeave(
                                condition, update, request.grant().mergeRequest()))
                .isPresent();
    }

    /// Whether nothing of the document is hidden from the caller: what is wrong with it tells what it holds.
    private static boolean seesAll(DataRequest request) {
        var grant = request.grant();
        return grant.readFilter().isEmpty() && grant.projectResponse().isEmpty();
    }
}
