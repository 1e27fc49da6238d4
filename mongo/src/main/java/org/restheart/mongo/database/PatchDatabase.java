package org.restheart.mongo.database;

import org.bson.types.ObjectId;
import org.restheart.http.Response;
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

/// `PATCH /{db}`: changes some of a database's properties.
public final class PatchDatabase implements DataHandler {
    private final Collections collections;
    private final Metadata metadata;
    private final Preconditions preconditions;

    public PatchDatabase(Collections collections, Metadata metadata, Preconditions preconditions) {
        this.collections = collections;
        this.metadata = metadata;
        this.preconditions = preconditions;
    }

    @Override
    public Response handle(DataRequest request) {
        var etag = new ObjectId();
        var update = Changes.ofProperties(request, request.contentDocument(), etag);
        request.http().requireThread();
        var target = new TargetDocument(
                collections.properties(request), PutDatabase.PROPERTIES, preconditions.ofDatabase(request));
        try {
            var outcome = target.update(update, WriteMode.UPSERT);
            return WriteResponses.of(
                    outcome instanceof WriteOutcome.Created ? new WriteOutcome.Changed() : outcome,
                    etag.toHexString(),
                    PutDatabase.TAG_REQUIRED);
        } finally {
            metadata.forgetDb(request.path().requireDb());
        }
    }
}
