package org.restheart.mongo.management;

import org.bson.types.ObjectId;
import org.restheart.http.Response;
import org.restheart.mongo.content.Changes;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.write.StoredProperties;
import org.restheart.mongo.write.WriteResponses;

/// `PATCH /{db}`: changes some of a database's properties.
public final class PatchDatabase implements DataHandler {
    private final StoredProperties properties;

    public PatchDatabase(StoredProperties properties) {
        this.properties = properties;
    }

    @Override
    public Response handle(DataRequest request) {
        var etag = new ObjectId();
        var update = Changes.ofProperties(request, request.contentDocument(), etag);
        request.http().requireThread();
        return properties.changing(
                request,
                () -> WriteResponses.of(
                        properties.update(request, update), etag.toHexString(), PutDatabase.TAG_REQUIRED));
    }
}
