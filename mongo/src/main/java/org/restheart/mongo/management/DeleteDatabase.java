package org.restheart.mongo.management;

import org.restheart.http.Response;
import org.restheart.mongo.exchange.Collections;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.JsonResponses;
import org.restheart.mongo.write.CollectionLock;
import org.restheart.mongo.write.StoredProperties;
import org.restheart.mongo.write.WriteOutcome;
import org.restheart.mongo.write.WriteOutcome.DeleteOutcome;
import org.restheart.mongo.write.WriteResponses;

/// `DELETE /{db}`: drops a database with everything in it. It is dropped only after its properties were removed
/// under the precondition; nothing is changed before.
public final class DeleteDatabase implements DataHandler {
    private final Collections collections;
    private final StoredProperties properties;

    public DeleteDatabase(Collections collections, StoredProperties properties) {
        this.collections = collections;
        this.properties = properties;
    }

    @Override
    public Response handle(DataRequest request) {
        request.http().requireThread();
        CollectionLock.requireAll(collections.database(request.path().requireDb()));
        return properties.changing(request, () -> switch (properties
                .target(request)
                .delete()) {
            case DeleteOutcome.Deleted(), WriteOutcome.Missing() -> {
                collections.database(request.path().requireDb()).drop();
                yield JsonResponses.empty(204);
            }
            case WriteOutcome.Refused refused -> WriteResponses.of(refused, PutDatabase.TAG_REQUIRED);
        });
    }
}
