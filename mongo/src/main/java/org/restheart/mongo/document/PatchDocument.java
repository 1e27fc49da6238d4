package org.restheart.mongo.document;

import java.util.function.Function;
import org.bson.types.ObjectId;
import org.restheart.bson.fields.Update;
import org.restheart.http.DocumentCheck;
import org.restheart.http.Response;
import org.restheart.mongo.content.Changes;
import org.restheart.mongo.content.ContentSize;
import org.restheart.mongo.content.FilterFields;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.guard.HiddenFields;
import org.restheart.mongo.parameter.WriteMode;
import org.restheart.mongo.write.TargetDocument;
import org.restheart.mongo.write.WriteOutcome;
import org.restheart.mongo.write.WriteResponses;
import org.restheart.mongo.write.WrittenCheck;

/// `PATCH /{db}/{collection}/{id}`: changes fields of a document, by operators or by a pipeline.
public final class PatchDocument implements DataHandler {
    private final SingleWrites writes;

    public PatchDocument(SingleWrites writes) {
        this.writes = writes;
    }

    @Override
    public Response handle(DataRequest request) {
        ContentSize.check(request);
        var etag = new ObjectId();
        HiddenFields.checkChange(request, request.content());
        var update = Changes.ofDocument(request, request.content(), etag);
        var target = writes.target(request);
        var mode = request.parameters().writeMode().orElse(WriteMode.UPDATE);
        Function<WriteOutcome, Response.Ready> answer = outcome ->
                WriteResponses.of(outcome, etag.toHexString(), "The ETag must be provided using the 'If-Match' header");
        return isChecked(request, update, mode)
                ? writes.reported(request, () -> answer.apply(checked(request, target, update, mode)))
                : writes.reported(request, target.updating(update, mode), answer);
    }

    /// Whether the document has to be checked as it would be stored.
    private static boolean isChecked(DataRequest request, Update update, WriteMode mode) {
        return request.rule().isPresent()
                || request.http().attribute(DocumentCheck.KEY).isPresent()
                || mayLeaveGrant(request, update, mode);
    }

    private WriteOutcome checked(DataRequest request, TargetDocument target, Update update, WriteMode mode) {
        return target.update(update, mode, writes.client(), document -> {
            writes.check(request, document);
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

    /// Whether the caller sees the whole document: violations reveal its content.
    private static boolean seesAll(DataRequest request) {
        var grant = request.grant();
        return grant.readFilter().isEmpty() && grant.projectResponse().isEmpty();
    }
}
