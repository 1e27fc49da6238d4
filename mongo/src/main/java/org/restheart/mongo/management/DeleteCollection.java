package org.restheart.mongo.management;

import org.restheart.http.Response;
import org.restheart.mongo.exchange.Collections;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.JsonResponses;
import org.restheart.mongo.write.StoredProperties;
import org.restheart.mongo.write.WriteOutcome;
import org.restheart.mongo.write.WriteOutcome.DeleteOutcome;
import org.restheart.mongo.write.WriteResponses;

/// `DELETE /{db}/{collection}`: drops a collection with its documents and properties; of a bucket also the chunks.
/// It is dropped only after its properties were removed under the precondition; nothing is changed before.
public final class DeleteCollection implements DataHandler {
    private static final String FILES = ".files";

    private final Collections collections;
    private final StoredProperties properties;

    public DeleteCollection(Collections collections, StoredProperties properties) {
        this.collections = collections;
        this.properties = properties;
    }

    @Override
    public Response handle(DataRequest request) {
        request.http().requireThread();
        return properties.changing(
                request, () -> switch (properties.target(request).delete()) {
                    case DeleteOutcome.Deleted(), WriteOutcome.Missing() -> {
                        drop(request);
                        yield JsonResponses.empty(204);
                    }
                    case WriteOutcome.Refused refused -> WriteResponses.of(refused, PatchCollection.TAG_REQUIRED);
                });
    }

    private void drop(DataRequest request) {
        var database = collections.database(request.path().requireDb());
        var name = request.path().requireCollection();
        if (request.path().kind().isFiles()) {
            database.getCollection(name.substring(0, name.length() - FILES.length()) + ".chunks")
                    .drop();
        }
        database.getCollection(name).drop();
    }
}
