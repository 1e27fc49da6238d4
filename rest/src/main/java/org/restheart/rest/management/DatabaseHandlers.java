package org.restheart.rest.management;

import org.bson.types.ObjectId;
import org.restheart.http.Response;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.mongo.write.CollectionLock;
import org.restheart.mongo.write.WriteMode;
import org.restheart.mongo.write.WriteOutcome;
import org.restheart.rest.content.NewDocument;
import org.restheart.rest.content.ServerFields;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.rest.exchange.Preconditions;
import org.restheart.rest.exchange.RequestCollections;
import org.restheart.rest.exchange.WriteResponses;

/// Writes of `/{db}`. Thread-safe.
public final class DatabaseHandlers {
    private static final String TAG_REQUIRED = "The database's ETag must be provided using the 'If-Match' header.";

    private final RequestCollections collections;
    private final StoredProperties properties;

    public DatabaseHandlers(RequestCollections collections, Metadata metadata, Preconditions preconditions) {
        this.collections = collections;
        this.properties = new StoredProperties(collections, metadata, preconditions);
    }

    /// `PUT`: creates a database, or replaces its properties.
    public Response put(DataRequest request) {
        var etag = new ObjectId();
        var fields = NewDocument.properties(ServerFields.ofRule(request.grant()), request.contentDocument());
        var document = properties.document(request, fields, etag);
        request.http().requireThread();
        properties.checkExistence(request, request.resource().exists());
        var written = properties.changing(request, () -> {
            var outcome = properties
                    .target(request)
                    .replacing(document, WriteMode.UPSERT)
                    .alone();
            var created = outcome instanceof WriteOutcome.Created
                    && !request.resource().exists();
            return WriteResponses.of(StoredProperties.outcome(outcome, created), etag.toHexString(), TAG_REQUIRED);
        });
        PropertyWarnings.ofRemoved(request);
        return written;
    }

    /// `PATCH`: changes some of a database's properties.
    public Response patch(DataRequest request) {
        var etag = new ObjectId();
        var update = properties.change(request, etag);
        request.http().requireThread();
        return properties.update(request, update, etag, TAG_REQUIRED);
    }

    /// `DELETE`: drops a database with everything in it. It is dropped only after its properties were removed under
    /// the precondition; nothing is changed before.
    public Response delete(DataRequest request) {
        request.http().requireThread();
        var database = collections.database(request.path().requireDb());
        CollectionLock.requireAll(database);
        return properties.delete(request, TAG_REQUIRED, database::drop);
    }
}
