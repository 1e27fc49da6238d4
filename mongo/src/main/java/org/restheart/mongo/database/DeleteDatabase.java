package org.restheart.mongo.database;

import org.restheart.http.Response;
import org.restheart.mongo.exchange.Collections;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.Json;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.mongo.write.DeleteOutcome;
import org.restheart.mongo.write.Preconditions;
import org.restheart.mongo.write.TargetDocument;
import org.restheart.mongo.write.WriteOutcome;
import org.restheart.mongo.write.WriteResponses;

/// `DELETE /{db}`: drops a database with everything in it. Whoever removes its properties under the
/// precondition may drop it; nothing is touched before.
public final class DeleteDatabase implements DataHandler {
    private final Collections collections;
    private final Metadata metadata;
    private final Preconditions preconditions;

    public DeleteDatabase(Collections collections, Metadata metadata, Preconditions preconditions) {
        this.collections = collections;
        this.metadata = metadata;
        this.preconditions = preconditions;
    }

    @Override
    public Response handle(DataRequest request) {
        request.http().requireThread();
        var db = request.path().requireDb();
        var target = new TargetDocument(
                collections.properties(request), PutDatabase.PROPERTIES, preconditions.ofDatabase(request));
        try {
            return switch (target.delete()) {
                case DeleteOutcome.Deleted(), WriteOutcome.Missing() -> {
                    collections.database(db).drop();
                    yield Json.empty(204);
                }
                case WriteOutcome.Refused refused -> WriteResponses.of(refused, PutDatabase.TAG_REQUIRED);
            };
        } finally {
            metadata.forgetDbAndCollections(db);
        }
    }
}
