package org.restheart.mongo.collection;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;
import static org.restheart.http.ProblemCode.PARAMETER_INVALID;

import org.bson.BsonString;
import org.bson.types.ObjectId;
import org.restheart.http.Problem;
import org.restheart.http.Response;
import org.restheart.mongo.changestream.StreamDefinitions;
import org.restheart.mongo.content.Changes;
import org.restheart.mongo.exchange.Collections;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.mongo.parameter.WriteMode;
import org.restheart.mongo.write.Preconditions;
import org.restheart.mongo.write.TargetDocument;
import org.restheart.mongo.write.WriteOutcome;
import org.restheart.mongo.write.WriteResponses;

/// `PATCH /{db}/{collection}`: changes some of a collection's properties.
public final class PatchCollection implements DataHandler {
    private final Collections collections;
    private final Metadata metadata;
    private final Preconditions preconditions;
    private final StreamDefinitions streams;

    public PatchCollection(
            Collections collections, Metadata metadata, Preconditions preconditions, StreamDefinitions streams) {
        this.collections = collections;
        this.metadata = metadata;
        this.preconditions = preconditions;
        this.streams = streams;
    }

    @Override
    public Response handle(DataRequest request) {
        var name = request.path().requireCollection();
        if (name.startsWith("_") && !request.path().kind().isSchemas()) {
            throw Problem.of(PARAMETER_INVALID, "illegal collection name: it cannot start with _")
                    .raise();
        }
        var content = request.contentDocument();
        if (content.isEmpty()) {
            throw Problem.of(CONTENT_INVALID, "no data provided").raise();
        }
        var etag = new ObjectId();
        var update = Changes.ofProperties(request, content, etag);
        streams.check(update);
        request.http().requireThread();
        var target = new TargetDocument(
                collections.properties(request),
                new BsonString(Metadata.propertiesId(name)),
                preconditions.ofCollection(request));
        try {
            var outcome = target.update(update, WriteMode.UPSERT);
            return WriteResponses.of(
                    outcome instanceof WriteOutcome.Created ? new WriteOutcome.Changed() : outcome,
                    etag.toHexString(),
                    "The ETag must be provided using the 'If-Match' header");
        } finally {
            metadata.forgetCollection(request.path().requireDb(), name);
        }
    }
}
