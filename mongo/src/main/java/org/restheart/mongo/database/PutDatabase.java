package org.restheart.mongo.database;

import org.bson.BsonString;
import org.bson.types.ObjectId;
import org.restheart.http.Response;
import org.restheart.mongo.content.NewDocument;
import org.restheart.mongo.exchange.Collections;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.mongo.parameter.WriteMode;
import org.restheart.mongo.resource.Names;
import org.restheart.mongo.write.Preconditions;
import org.restheart.mongo.write.TargetDocument;
import org.restheart.mongo.write.WriteOutcome;
import org.restheart.mongo.write.WriteResponses;

/// `PUT /{db}`: makes a database, or replaces its properties.
public final class PutDatabase implements DataHandler {
    static final BsonString PROPERTIES = new BsonString(Names.PROPERTIES);
    static final String TAG_REQUIRED = "The database's ETag must be provided using the 'If-Match' header.";

    private final Collections collections;
    private final Metadata metadata;
    private final Preconditions preconditions;

    public PutDatabase(Collections collections, Metadata metadata, Preconditions preconditions) {
        this.collections = collections;
        this.metadata = metadata;
        this.preconditions = preconditions;
    }

    @Override
    public Response handle(DataRequest request) {
        var etag = new ObjectId();
        var fields = NewDocument.properties(request, request.contentDocument());
        var document = NewDocument.encode(NewDocument.tagged(PROPERTIES, fields, etag));
        request.http().requireThread();
        var target = new TargetDocument(collections.properties(request), PROPERTIES, preconditions.ofDatabase(request));
        try {
            var outcome = target.replace(document, WriteMode.UPSERT);
            var onlyProperties = outcome instanceof WriteOutcome.Created
                    && request.resource().exists();
            return WriteResponses.of(
                    onlyProperties ? new WriteOutcome.Changed() : outcome, etag.toHexString(), TAG_REQUIRED);
        } finally {
            metadata.forgetDb(request.path().requireDb());
        }
    }
}
