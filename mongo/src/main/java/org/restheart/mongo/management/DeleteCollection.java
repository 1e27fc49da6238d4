package org.restheart.mongo.management;

import java.util.List;
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
        for (var name : dropped(request)) {
            CollectionLock.require(collections.database(request.path().requireDb()), name);
        }
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
        dropped(request).forEach(name -> database.getCollection(name).drop());
    }

    private static List<String> dropped(DataRequest request) {
        var name = request.path().requireCollection();
        return request.path().kind().isFiles()
                ? List.of(name.substring(0, name.length() - FILES.length()) + ".chunks", name)
                : List.of(name);
    }
}
