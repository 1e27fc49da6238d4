package org.restheart.mongo.document;

import org.bson.types.ObjectId;
import org.restheart.http.Response;
import org.restheart.mongo.Collections;
import org.restheart.mongo.DataHandler;
import org.restheart.mongo.DataRequest;
import org.restheart.mongo.content.Changes;
import org.restheart.mongo.content.ContentSize;
import org.restheart.mongo.parameter.WriteMode;
import org.restheart.mongo.write.Preconditions;
import org.restheart.mongo.write.TargetDocument;
import org.restheart.mongo.write.WriteResponses;

/// `PATCH /{db}/{collection}/{id}`: changes fields of a document, by operators or by a pipeline.
public final class PatchDocument implements DataHandler {
    private final Collections collections;
    private final Preconditions preconditions;

    public PatchDocument(Collections collections, Preconditions preconditions) {
        this.collections = collections;
        this.preconditions = preconditions;
    }

    @Override
    public Response handle(DataRequest request) {
        ContentSize.check(request);
        var etag = new ObjectId();
        var update = Changes.ofDocument(request, request.content(), etag);
        request.http().requireThread();
        var target = new TargetDocument(
                collections.of(request), request.id(), request.writeFilter(), preconditions.ofDocument(request));
        var mode = request.parameters().writeMode().orElse(WriteMode.UPDATE);
        return WriteResponses.of(
                target.update(update, mode),
                etag.toHexString(),
                "The ETag must be provided using the 'If-Match' header");
    }
}
