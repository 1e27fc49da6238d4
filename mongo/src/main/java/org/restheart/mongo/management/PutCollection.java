package org.restheart.mongo.management;

import com.mongodb.MongoCommandException;
import java.util.Optional;
import org.bson.RawBsonDocument;
import org.bson.types.ObjectId;
import org.restheart.http.Response;
import org.restheart.mongo.changestream.StreamDefinitions;
import org.restheart.mongo.content.NewDocument;
import org.restheart.mongo.exchange.Collections;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.parameter.WriteMode;
import org.restheart.mongo.schema.SchemaAccess;
import org.restheart.mongo.write.Precondition;
import org.restheart.mongo.write.StoredProperties;
import org.restheart.mongo.write.WriteOutcome;
import org.restheart.mongo.write.WriteResponses;

/// `PUT /{db}/{collection}`: makes a collection, or replaces its properties.
public final class PutCollection implements DataHandler {
    /// `NamespaceExists`.
    private static final int EXISTS = 48;

    private final Collections collections;
    private final StoredProperties properties;
    private final StreamDefinitions streams;
    private final SchemaAccess schemas;

    public PutCollection(
            Collections collections, StoredProperties properties, StreamDefinitions streams, SchemaAccess schemas) {
        this.collections = collections;
        this.properties = properties;
        this.streams = streams;
        this.schemas = schemas;
    }

    @Override
    public Response handle(DataRequest request) {
        var etag = new ObjectId();
        var fields = NewDocument.properties(request, request.contentDocument());
        streams.check(fields);
        var document = NewDocument.encode(NewDocument.tagged(properties.id(request), fields, etag));
        request.http().requireThread();
        schemas.check(request, fields);
        var written = properties.changing(
                request,
                () -> WriteResponses.of(
                        write(request, document),
                        etag.toHexString(),
                        "The collection's ETag must be provided using the 'If-Match' header."));
        schemas.warn(request, Optional.ofNullable(fields.get("jsonSchema")));
        PropertyWarnings.ofReplaced(request, request.contentDocument());
        return written;
    }

    private WriteOutcome write(DataRequest request, RawBsonDocument document) {
        var created = !request.resource().exists() && create(request);
        // properties that outlived an earlier collection of this name are ignored
        var target = created ? properties.target(request, new Precondition.None()) : properties.target(request);
        return switch (target.replace(document, WriteMode.UPSERT)) {
            case WriteOutcome.Created(), WriteOutcome.Changed() ->
                created ? new WriteOutcome.Created() : new WriteOutcome.Changed();
            case WriteOutcome.Missing missing -> missing;
            case WriteOutcome.Duplicate duplicate -> duplicate;
            case WriteOutcome.Refused refused -> refused;
        };
    }

    /// False if a concurrent request created it first.
    private boolean create(DataRequest request) {
        try {
            collections
                    .database(request.path().requireDb())
                    .createCollection(request.path().requireCollection());
            return true;
        } catch (MongoCommandException e) {
            if (e.getErrorCode() == EXISTS) {
                return false;
            }
            throw e;
        }
    }
}
