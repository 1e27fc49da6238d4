package org.restheart.mongo.collection;

import com.mongodb.MongoCommandException;
import org.bson.BsonString;
import org.bson.types.ObjectId;
import org.restheart.http.Response;
import org.restheart.mongo.changestream.StreamDefinitions;
import org.restheart.mongo.content.NewDocument;
import org.restheart.mongo.exchange.Collections;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.mongo.parameter.WriteMode;
import org.restheart.mongo.write.Precondition;
import org.restheart.mongo.write.Preconditions;
import org.restheart.mongo.write.TargetDocument;
import org.restheart.mongo.write.WriteOutcome;
import org.restheart.mongo.write.WriteResponses;

/// `PUT /{db}/{collection}`: makes a collection, or replaces its properties.
public final class PutCollection implements DataHandler {
    /// `NamespaceExists`.
    private static final int EXISTS = 48;

    private final Collections collections;
    private final Metadata metadata;
    private final Preconditions preconditions;
    private final StreamDefinitions streams;

    public PutCollection(
            Collections collections, Metadata metadata, Preconditions preconditions, StreamDefinitions streams) {
        this.collections = collections;
        this.metadata = metadata;
        this.preconditions = preconditions;
        this.streams = streams;
    }

    @Override
    public Response handle(DataRequest request) {
        var etag = new ObjectId();
        var id = new BsonString(Metadata.propertiesId(request.path().requireCollection()));
        var fields = NewDocument.properties(request, request.contentDocument());
        streams.check(fields);
        var document = NewDocument.encode(NewDocument.tagged(id, fields, etag));
        request.http().requireThread();
        try {
            var created = !request.resource().exists() && create(request);
            // properties that outlived an earlier collection of this name are nobody's
            var precondition = created ? new Precondition.None() : preconditions.ofCollection(request);
            var outcome = new TargetDocument(collections.properties(request), id, precondition)
                    .replace(document, WriteMode.UPSERT);
            return WriteResponses.of(
                    switch (outcome) {
                        case WriteOutcome.Created(), WriteOutcome.Changed() ->
                            created ? new WriteOutcome.Created() : new WriteOutcome.Changed();
                        case WriteOutcome.Missing missing -> missing;
                        case WriteOutcome.Duplicate duplicate -> duplicate;
                        case WriteOutcome.Refused refused -> refused;
                    },
                    etag.toHexString(),
                    "The collection's ETag must be provided using the 'If-Match' header.");
        } finally {
            metadata.forgetCollection(request.path().requireDb(), request.path().requireCollection());
        }
    }

    /// False if somebody else was first.
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
