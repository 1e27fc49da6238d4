package org.restheart.mongo.management;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;
import static org.restheart.http.ProblemCode.PARAMETER_INVALID;

import org.bson.types.ObjectId;
import org.restheart.http.Problem;
import org.restheart.http.Response;
import org.restheart.mongo.changestream.StreamDefinitions;
import org.restheart.mongo.content.Changes;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.schema.SchemaAccess;
import org.restheart.mongo.write.StoredProperties;
import org.restheart.mongo.write.WriteResponses;

/// `PATCH /{db}/{collection}`: changes some of a collection's properties.
public final class PatchCollection implements DataHandler {
    static final String TAG_REQUIRED = "The ETag must be provided using the 'If-Match' header";

    private final StoredProperties properties;
    private final StreamDefinitions streams;
    private final SchemaAccess schemas;

    public PatchCollection(StoredProperties properties, StreamDefinitions streams, SchemaAccess schemas) {
        this.properties = properties;
        this.streams = streams;
        this.schemas = schemas;
    }

    @Override
    public Response handle(DataRequest request) {
        if (request.path().requireCollection().startsWith("_")
                && !request.path().kind().isSchemas()) {
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
        schemas.check(request, update);
        var written = properties.changing(
                request, () -> WriteResponses.of(properties.update(request, update), etag.toHexString(), TAG_REQUIRED));
        schemas.warn(request, update);
        return written;
    }
}
