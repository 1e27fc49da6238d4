package org.restheart.mongo.document;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;

import org.bson.RawBsonDocument;
import org.bson.types.ObjectId;
import org.restheart.http.Problem;
import org.restheart.http.Response;
import org.restheart.mongo.content.ContentSize;
import org.restheart.mongo.content.Storable;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.parameter.WriteMode;
import org.restheart.mongo.write.WriteResponses;

/// `PUT /{db}/{collection}/{id}`: replaces a document; with `wm=upsert` also inserts it. `PUT
/// /{db}/_schemas/{id}` does the same with a JSON Schema.
public final class ReplaceDocument implements DataHandler {
    private final SingleWrites writes;

    public ReplaceDocument(SingleWrites writes) {
        this.writes = writes;
    }

    @Override
    public Response handle(DataRequest request) {
        ContentSize.check(request);
        var etag = new ObjectId();
        var document = document(request, etag);
        writes.check(request, document);
        var target = writes.target(request);
        var mode = request.parameters().writeMode().orElse(WriteMode.UPDATE);
        return writes.reported(
                request,
                target.replacing(document, mode),
                outcome -> WriteResponses.of(
                        outcome,
                        etag.toHexString(),
                        "The document's ETag must be provided using the 'If-Match' header"));
    }

    private static RawBsonDocument document(DataRequest request, ObjectId etag) {
        var content = Storable.of(request, request.contentDocument());
        if (content.id().filter(id -> !id.equals(request.id())).isPresent()) {
            throw Problem.of(CONTENT_INVALID, "_id in content body is different than id in URL")
                    .raise();
        }
        return content.encode(request.id(), etag);
    }
}
