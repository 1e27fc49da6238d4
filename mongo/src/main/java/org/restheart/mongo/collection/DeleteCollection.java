package org.restheart.mongo.collection;

import org.bson.BsonString;
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

/// `DELETE /{db}/{collection}`: drops a collection with its documents and properties; of a bucket also the
/// chunks. Whoever removes the properties under the precondition may drop it; nothing is touched before.
public final class DeleteCollection implements DataHandler {
    private static final String FILES = ".files";

    private final Collections collections;
    private final Metadata metadata;
    private final Preconditions preconditions;

    public DeleteCollection(Collections collections, Metadata metadata, Preconditions preconditions) {
        this.collections = collections;
        this.metadata = metadata;
        this.preconditions = preconditions;
    }

    @Override
    public Response handle(DataRequest request) {
        request.http().requireThread();
        var db = request.path().requireDb();
        var name = request.path().requireCollection();
        var target = new TargetDocument(
                collections.properties(request),
                new BsonString(Metadata.propertiesId(name)),
                preconditions.ofCollection(request));
        try {
            return switch (target.delete()) {
                case DeleteOutcome.Deleted(), WriteOutcome.Missing() -> {
                    drop(request, db, name);
                    yield Json.empty(204);
                }
                case WriteOutcome.Refused refused ->
                    WriteResponses.of(refused, "The ETag must be provided using the 'If-Match' header");
            };
        } finally {
            metadata.forgetCollection(db, name);
        }
    }

    private void drop(DataRequest request, String db, String name) {
        var database = collections.database(db);
        if (request.path().kind().isFiles()) {
            database.getCollection(name.substring(0, name.length() - FILES.length()) + ".chunks")
                    .drop();
        }
        database.getCollection(name).drop();
    }
}
