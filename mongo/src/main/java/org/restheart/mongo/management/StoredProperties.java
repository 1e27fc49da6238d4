package org.restheart.mongo.management;

import java.util.function.Supplier;
import org.bson.BsonString;
import org.restheart.bson.fields.Update;
import org.restheart.http.Method;
import org.restheart.http.Response;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.RequestCollections;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.mongo.parameter.Parameters.WriteMode;
import org.restheart.mongo.resource.ResourceNames;
import org.restheart.mongo.write.Precondition;
import org.restheart.mongo.write.Preconditions;
import org.restheart.mongo.write.TargetDocument;
import org.restheart.mongo.write.WriteOutcome;

/// The stored properties of the database or the collection of a request's path, as the target of writes.
/// Thread-safe.
record StoredProperties(RequestCollections collections, Metadata metadata, Preconditions preconditions) {
    /// The `_id` under which they are stored.
    BsonString id(DataRequest request) {
        var collection = request.path().collection();
        return new BsonString(collection == null ? ResourceNames.PROPERTIES : Metadata.propertiesId(collection));
    }

    /// The properties with the precondition of the request.
    TargetDocument target(DataRequest request) {
        return target(
                request,
                request.path().collection() == null
                        ? preconditions.ofDatabase(request)
                        : preconditions.ofCollection(request));
    }

    TargetDocument target(DataRequest request, Precondition precondition) {
        return new TargetDocument(collections.properties(request), id(request), precondition);
    }

    /// Changes some of them, also if there were none before.
    WriteOutcome update(DataRequest request, Update update) {
        var outcome = target(request).update(update, WriteMode.UPSERT);
        return outcome instanceof WriteOutcome.Created ? new WriteOutcome.Changed() : outcome;
    }

    /// Runs a write and then invalidates the cached metadata, also when it fails, since part of it may have been
    /// done.
    Response changing(DataRequest request, Supplier<Response> write) {
        try {
            return write.get();
        } finally {
            forget(request);
        }
    }

    private void forget(DataRequest request) {
        var db = request.path().requireDb();
        if (request.path().collection() != null) {
            metadata.forgetCollection(db, request.path().requireCollection());
        } else if (request.http().method() == Method.DELETE) {
            metadata.forgetDbAndCollections(db);
        } else {
            metadata.forgetDb(db);
        }
    }
}
