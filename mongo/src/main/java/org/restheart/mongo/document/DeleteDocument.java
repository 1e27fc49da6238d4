package org.restheart.mongo.document;

import org.restheart.http.Response;
import org.restheart.http.judged.DataWrite;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.write.DocumentWrites;
import org.restheart.mongo.write.WriteOutcome.DeleteOutcome;
import org.restheart.mongo.write.WriteResponses;

/// `DELETE /{db}/{collection}/{id}`.
public final class DeleteDocument implements DataHandler {
    private final SingleWrites writes;
    private final DocumentWrites<DeleteOutcome> deletes;

    public DeleteDocument(SingleWrites writes, DocumentWrites<DeleteOutcome> deletes) {
        this.writes = writes;
        this.deletes = deletes;
    }

    @Override
    public Response handle(DataRequest request) {
        var target = writes.target(request);
        // the service that made the request waits for the report
        var alone = request.http().attribute(DataWrite.KEY).isPresent();
        return (alone ? DocumentWrites.<DeleteOutcome>alone() : deletes)
                .write(request.http(), request.resource().plain(), target.deleting(), outcome -> {
                    var response = WriteResponses.of(
                            outcome, "The document's ETag must be provided using the 'If-Match' header");
                    DataWrite.report(request.http(), DataWrite.Report.deleted(1));
                    return response;
                });
    }
}
