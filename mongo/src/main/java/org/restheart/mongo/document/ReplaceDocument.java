package org.restheart.mongo.document;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;

import java.util.List;
import org.bson.RawBsonDocument;
import org.bson.types.ObjectId;
import org.restheart.http.Problem;
import org.restheart.http.Response;
import org.restheart.mongo.content.ContentSize;
import org.restheart.mongo.content.Storable;
import org.restheart.mongo.exchange.Collections;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.parameter.WriteMode;
import org.restheart.mongo.write.DocumentWrites;
import org.restheart.mongo.write.Preconditions;
import org.restheart.mongo.write.WriteOutcome;
import org.restheart.mongo.write.WriteResponses;
import org.restheart.mongo.write.WrittenCheck;

/// `PUT /{db}/{collection}/{id}`: replaces a document; with `wm=upsert` also inserts it. `PUT /{db}/_schemas/{id}`
/// does the same with a JSON Schema.
public final class ReplaceDocument implements DataHandler {
    private final Collections collections;
    private final Preconditions preconditions;
    private final DocumentWrites<WriteOutcome> writes;
    private final WrittenCheck writtenCheck;

    public ReplaceDocument(Collections collections, Preconditions preconditions, DocumentWrites<WriteOutcome> writes) {
        this.writes = writes;
        this.collections = collections;
        this.preconditions = preconditions;
        this.writtenCheck = new WrittenCheck(collections);
    }

    @Override
    public Response handle(DataRequest request) {
        ContentSize.check(request);
        var etag = new ObjectId();
        var document = document(request, etag);
        writtenCheck.check(request, List.of(document));
        var target = SingleWrites.target(request, collections, preconditions);
        var mode = request.parameters().writeMode().orElse(WriteMode.UPDATE);
        return SingleWrites.reported(
                request,
                collections,
                writes,
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
