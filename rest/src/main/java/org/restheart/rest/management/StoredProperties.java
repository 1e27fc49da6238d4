package org.restheart.rest.management;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.ReadPreference;
import com.mongodb.client.MongoCollection;
import java.util.Optional;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.bson.types.ObjectId;
import org.restheart.bson.RawDocuments;
import org.restheart.bson.fields.Update;
import org.restheart.http.Response;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.mongo.metadata.ResourceNames;
import org.restheart.mongo.write.EntityTags;
import org.restheart.mongo.write.Precondition;
import org.restheart.mongo.write.TargetDocument;
import org.restheart.mongo.write.WriteMode;
import org.restheart.mongo.write.WriteOutcome;
import org.restheart.rest.content.DataContent;
import org.restheart.rest.content.NewDocument;
import org.restheart.rest.content.ServerFields;
import org.restheart.rest.content.UpdateContent;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.rest.exchange.JsonResponses;
import org.restheart.rest.exchange.Preconditions;
import org.restheart.rest.exchange.RequestCollections;
import org.restheart.rest.exchange.WriteResponses;

/// The stored properties of the database or the collection of a request's path, as the target of writes.
/// Thread-safe.
record StoredProperties(RequestCollections collections, Metadata metadata, Preconditions preconditions) {
    /// The `_id` under which they are stored.
    private BsonString id(DataRequest request) {
        var collection = request.path().collection();
        return new BsonString(collection == null ? ResourceNames.PROPERTIES : Metadata.propertiesId(collection));
    }

    TargetDocument target(DataRequest request) {
        return target(request, precondition(request).ofExisting());
    }

    private Precondition precondition(DataRequest request) {
        return request.path().collection() == null
                ? preconditions.ofDatabase(request)
                : preconditions.ofCollection(request);
    }

    /// Refuses to create a database or collection that has to exist (`If-Match: *`), and to change one that must not
    /// (`If-None-Match: *`), with or without properties.
    ///
    /// @throws org.restheart.http.ProblemException 412
    void checkExistence(DataRequest request, boolean exists) {
        var violated = exists
                ? preconditions.ofAbsence(request)
                : Optional.of(precondition(request)).filter(Precondition::requiresExistence);
        violated.ifPresent(condition -> WriteResponses.of(
                new WriteOutcome.Stale(request.resource().properties().flatMap(EntityTags::of), condition), "", ""));
    }

    TargetDocument target(DataRequest request, Precondition precondition) {
        return new TargetDocument(collections.properties(request), id(request), precondition);
    }

    RawBsonDocument document(DataRequest request, BsonDocument fields, ObjectId etag) {
        var properties = NewDocument.encode(NewDocument.tagged(id(request), fields, etag));
        DataContent.requireProperties(properties.getByteLength());
        return properties;
    }

    /// The outcome of a write of the properties as that of the request.
    ///
    /// @param created whether the request has created the database or the collection
    static WriteOutcome outcome(WriteOutcome ofProperties, boolean created) {
        return ofProperties instanceof WriteOutcome.Created || ofProperties instanceof WriteOutcome.Changed
                ? created ? new WriteOutcome.Created() : new WriteOutcome.Changed()
                : ofProperties;
    }

    /// The change of properties that the content of a request asks for.
    ///
    /// @throws org.restheart.http.ProblemException 400; 413 if they may become too large
    Update.Operators change(DataRequest request, ObjectId etag) {
        var stored = request.resource().properties().map(RawDocuments::encode);
        DataContent.requireProperties(
                NewDocument.encode(request.contentDocument()).getByteLength()
                        + stored.map(RawBsonDocument::getByteLength).orElse(0));
        return UpdateContent.ofProperties(
                ServerFields.ofRule(request.grant()),
                request.contentDocument(),
                request.parameters().arrayFilters(),
                etag);
    }

    /// Changes some of them, also if there were none before.
    Response update(DataRequest request, Update update, ObjectId etag, String tagRequired) {
        checkExistence(request, true);
        return changing(request, () -> {
            var outcome =
                    outcome(target(request).updating(update, WriteMode.UPSERT).alone(), false);
            return WriteResponses.of(outcome, etag.toHexString(), tagRequired);
        });
    }

    /// Removes them under the precondition, and only then drops what they belong to. If MongoDB refuses that, they are
    /// stored again: there may be a schema among them.
    Response delete(DataRequest request, String tagRequired, Runnable drop) {
        checkExistence(request, true);
        return changing(request, () -> {
            var properties = collections.properties(request).withReadPreference(ReadPreference.primary());
            var stored = properties.find(new BsonDocument("_id", id(request))).first();
            var outcome = target(request).deleting().alone();
            if (outcome instanceof WriteOutcome.Refused) {
                return WriteResponses.of(outcome, tagRequired);
            }
            try {
                drop.run();
            } catch (MongoCommandException refusal) {
                if (stored != null) {
                    restore(properties, stored, refusal);
                }
                throw refusal;
            }
            return JsonResponses.empty(204);
        });
    }

    private static void restore(
            MongoCollection<RawBsonDocument> properties, RawBsonDocument stored, MongoCommandException refusal) {
        try {
            properties.insertOne(stored);
        } catch (MongoException e) {
            refusal.addSuppressed(e);
        }
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
        } else if (request.operation().isRemoval()) {
            metadata.forgetDbAndCollections(db);
        } else {
            metadata.forgetDb(db);
        }
    }
}
