package org.restheart.rest.management;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;
import static org.restheart.http.ProblemCode.PARAMETER_INVALID;

import com.mongodb.ExplainVerbosity;
import com.mongodb.MongoCommandException;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonMode;
import org.restheart.bson.fields.EffectiveValue;
import org.restheart.http.ProblemException;
import org.restheart.http.Response;
import org.restheart.mongo.find.Collations;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.mongo.write.CollectionLock;
import org.restheart.mongo.write.Precondition;
import org.restheart.mongo.write.TargetDocument;
import org.restheart.mongo.write.WriteMode;
import org.restheart.mongo.write.WriteOutcome;
import org.restheart.rest.aggregation.Aggregation;
import org.restheart.rest.changestream.StreamDefinitions;
import org.restheart.rest.content.NewDocument;
import org.restheart.rest.content.ServerFields;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.rest.exchange.Preconditions;
import org.restheart.rest.exchange.RequestCollections;
import org.restheart.rest.exchange.WriteResponses;
import org.restheart.rest.guard.PipelineInspection;
import org.restheart.rest.schema.SchemaAccess;

/// Writes of `/{db}`, and of `/{db}/{collection}`, also of buckets and schema stores, but for the documents in them.
/// Thread-safe.
public final class CollectionHandlers {
    /// The property with the default of the parameter `jsonMode`.
    public static final String JSON_MODE = "jsonMode";

    private static final String COLLATION = "mongo.collation";
    private static final String COLLATION_PROPERTY = "property " + COLLATION;

    private static final String FILES = ".files";
    private static final String TAG_OF_DATABASE_REQUIRED =
            "The database's ETag must be provided using the 'If-Match' header.";
    private static final String TAG_REQUIRED = "The ETag must be provided using the 'If-Match' header";

    /// `BadValue`.
    private static final int BAD_VALUE = 2;

    /// `NamespaceExists`.
    private static final int EXISTS = 48;

    private final RequestCollections collections;
    private final StoredProperties properties;
    private final StreamDefinitions streams;
    private final SchemaAccess schemas;
    private final PipelineInspection inspection;

    public CollectionHandlers(
            RequestCollections collections,
            Metadata metadata,
            Preconditions preconditions,
            StreamDefinitions streams,
            SchemaAccess schemas,
            PipelineInspection inspection) {
        this.collections = collections;
        this.properties = new StoredProperties(collections, metadata, preconditions);
        this.streams = streams;
        this.schemas = schemas;
        this.inspection = inspection;
    }

    /// `PUT`: creates a collection, or replaces its properties.
    public Response put(DataRequest request) {
        var etag = new ObjectId();
        var fields = NewDocument.properties(ServerFields.ofRule(request.grant()), request.contentDocument());
        streams.check(fields);
        checkReading(fields);
        var document = properties.document(request, fields, etag);
        request.http().requireThread();
        checkLocale(request, fields);
        schemas.check(request, fields);
        var written = properties.changing(
                request,
                () -> WriteResponses.of(
                        write(request, document),
                        etag.toHexString(),
                        "The collection's ETag must be provided using the 'If-Match' header."));
        schemas.warn(request, fields.get("jsonSchema"));
        PropertyWarnings.ofReplaced(request, request.contentDocument());
        warnOfForbidden(request, fields.get("aggrs"));
        return written;
    }

    private WriteOutcome write(DataRequest request, RawBsonDocument document) {
        if (request.resource().exists()) {
            properties.checkExistence(request, true);
            return StoredProperties.outcome(replace(properties.target(request), document), false);
        }
        properties.checkExistence(request, false);
        var created = create(request);
        if (!created) {
            properties.checkExistence(request, true);
        }
        // properties that outlived an earlier collection of this name are ignored
        var target = created ? properties.target(request, new Precondition.None()) : properties.target(request);
        return StoredProperties.outcome(replace(target, document), created);
    }

    private static WriteOutcome replace(TargetDocument target, RawBsonDocument document) {
        return target.replacing(document, WriteMode.UPSERT).alone();
    }

    /// False if a concurrent request created it first; since MongoDB 7, that cannot be told.
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

    /// `PATCH`: changes some of a collection's properties.
    public Response patch(DataRequest request) {
        if (request.path().requireCollection().startsWith("_")
                && !request.path().kind().isSchemas()) {
            throw new ProblemException(PARAMETER_INVALID, "illegal collection name: it cannot start with _");
        }
        var content = request.contentDocument();
        if (content.isEmpty()) {
            throw new ProblemException(CONTENT_INVALID, "no data provided");
        }
        var etag = new ObjectId();
        var update = properties.change(request, etag);
        streams.check(update);
        checkReading(update.document());
        request.http().requireThread();
        checkLocale(request, update.document());
        schemas.check(request, update);
        var written = properties.update(request, update, etag, TAG_REQUIRED);
        schemas.warn(request, EffectiveValue.of(update.document(), "jsonSchema").value());
        PropertyWarnings.ofUnknown(request, content);
        warnOfForbidden(request, EffectiveValue.of(update.document(), "aggrs").value());
        return written;
    }

    /// What reads of the collection take from its properties.
    private static void checkReading(BsonDocument properties) {
        var collation = EffectiveValue.of(properties, COLLATION);
        if (collation.value() instanceof BsonDocument written) {
            Collations.of(written, COLLATION_PROPERTY);
        } else if (collation.value() != null || !collation.isCertain()) {
            throw new ProblemException(
                    CONTENT_INVALID, "the " + COLLATION_PROPERTY + " must be an object, set as a whole");
        }
        var mode = EffectiveValue.of(properties, JSON_MODE).value();
        boolean isKnown = mode == null
                || mode.isNull()
                || (mode.isString()
                        && JsonMode.of(mode.asString().getValue())
                                .filter(known -> known != JsonMode.SHELL)
                                .isPresent());
        if (!isKnown) {
            throw new ProblemException(
                    CONTENT_INVALID, "the property jsonMode must be one of default, relaxed, strict, extended, plain");
        }
    }

    /// Only MongoDB knows the locales. With another one, no read of the collection would succeed.
    private void checkLocale(DataRequest request, BsonDocument properties) {
        if (EffectiveValue.of(properties, COLLATION).value() instanceof BsonDocument written) {
            try {
                collections
                        .of(request)
                        .find()
                        .collation(Collations.of(written, COLLATION_PROPERTY))
                        .explain(ExplainVerbosity.QUERY_PLANNER); // reads no documents
            } catch (MongoCommandException e) {
                if (e.getErrorCode() != BAD_VALUE) {
                    throw e;
                }
                throw new ProblemException(
                        PARAMETER_INVALID,
                        "illegal " + COLLATION_PROPERTY + ": MongoDB has no such locale, or no such options of it");
            }
        }
    }

    private void warnOfForbidden(DataRequest request, @Nullable BsonValue aggrs) {
        if (aggrs != null) {
            Aggregation.warnOfForbidden(
                    request.http(), aggrs, inspection, request.path().requireDb());
        }
    }

    /// `DELETE`: drops a collection with its documents and properties; of a bucket also the chunks. It is dropped only
    /// after its properties were removed under the precondition; nothing is changed before.
    public Response delete(DataRequest request) {
        request.http().requireThread();
        var database = collections.database(request.path().requireDb());
        var names = dropped(request);
        names.forEach(name -> CollectionLock.require(database, name));
        return properties.delete(
                request,
                TAG_REQUIRED,
                () -> names.forEach(name -> database.getCollection(name).drop()));
    }

    private static List<String> dropped(DataRequest request) {
        var name = request.path().requireCollection();
        return request.path().kind().isFiles()
                ? List.of(name.substring(0, name.length() - FILES.length()) + ".chunks", name)
                : List.of(name);
    }

    /// `PUT /{db}`: creates a database, or replaces its properties.
    public Response putDatabase(DataRequest request) {
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
            return WriteResponses.of(
                    StoredProperties.outcome(outcome, created), etag.toHexString(), TAG_OF_DATABASE_REQUIRED);
        });
        PropertyWarnings.ofRemoved(request);
        return written;
    }

    /// `PATCH /{db}`: changes some of a database's properties.
    public Response patchDatabase(DataRequest request) {
        var etag = new ObjectId();
        var update = properties.change(request, etag);
        request.http().requireThread();
        return properties.update(request, update, etag, TAG_OF_DATABASE_REQUIRED);
    }

    /// `DELETE /{db}`: drops a database with everything in it. It is dropped only after its properties
    /// were removed under the precondition; nothing is changed before.
    public Response deleteDatabase(DataRequest request) {
        request.http().requireThread();
        var database = collections.database(request.path().requireDb());
        CollectionLock.requireAll(database);
        return properties.delete(request, TAG_OF_DATABASE_REQUIRED, database::drop);
    }
}
