package org.restheart.mongo.management;

import org.bson.types.ObjectId;
import org.restheart.http.Response;
import org.restheart.mongo.content.NewDocument;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.parameter.WriteMode;
import org.restheart.mongo.write.StoredProperties;
import org.restheart.mongo.write.WriteOutcome;
import org.restheart.mongo.write.WriteResponses;

/// `PUT /{db}`: makes a database, or replaces its properties.
public final class PutDatabase implements DataHandler {
    static final String TAG_REQUIRED = "The database's ETag must be provided using the 'If-Match' header.";

    private final StoredProperties properties;

    public PutDatabase(StoredProperties properties) {
        this.properties = properties;
    }

    @Override
    public Response handle(DataRequest request) {
        var etag = new ObjectId();
        var fields = NewDocument.properties(request, request.contentDocument());
        var document = NewDocument.encode(NewDocument.tagged(properties.id(request), fields, etag));
        request.http().requireThread();
        var written = properties.changing(request, () -> {
            var outcome = properties.target(request).replace(document, WriteMode.UPSERT);
            var onlyProperties = outcome instanceof WriteOutcome.Created
                    && request.resource().exists();
            return WriteResponses.of(
                    onlyProperties ? new WriteOutcome.Changed() : outcome, etag.toHexString(), TAG_REQUIRED);
        });
        PropertyWarnings.ofRemoved(request);
        return written;
    }
}
