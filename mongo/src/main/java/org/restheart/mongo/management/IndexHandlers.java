package org.restheart.mongo.management;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;
import static org.restheart.http.ProblemCode.INDEX_PROTECTED;
import static org.restheart.http.ProblemCode.NOT_FOUND;
import static org.restheart.http.ProblemCode.PARAMETER_INVALID;

import com.mongodb.ErrorCategory;
import com.mongodb.MongoCommandException;
import com.mongodb.client.model.DropIndexOptions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.http.FoundWarnings;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Response;
import org.restheart.mongo.concern.BoundedConcern;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.error.MongoErrors;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.JsonResponses;
import org.restheart.mongo.exchange.RequestCollections;
import org.restheart.mongo.guard.HiddenFields;
import org.restheart.mongo.write.CollectionLock;

/// Writes of `/{db}/{collection}/_indexes/{name}`. Thread-safe.
public final class IndexHandlers {
    private final RequestCollections collections;

    public IndexHandlers(RequestCollections collections) {
        this.collections = collections;
    }

    /// `PUT`: creates an index. Creating the same one again changes nothing.
    public Response put(DataRequest request) {
        var name = request.path().requireName();
        if (name.startsWith("_")) {
            throw new ProblemException(PARAMETER_INVALID, "index name cannot start with _");
        }
        var index = IndexSpecification.of(
                name, request.contentDocument(), warning -> FoundWarnings.add(request.http(), warning));
        HiddenFields.checkIndex(request, index);
        request.http().requireThread();
        try {
            create(request, index);
        } catch (MongoCommandException e) {
            throw refusal(e).raise();
        }
        return JsonResponses.empty(201);
    }

    private void create(DataRequest request, BsonDocument index) {
        var database = collections.database(request.path().requireDb());
        var command = new BsonDocument(
                        "createIndexes", new BsonString(request.path().requireCollection()))
                .append("indexes", new BsonArray(List.of(index)))
                .append("writeConcern", database.getWriteConcern().asDocument());
        if (hasMembers()) { // by default each of them has to build it, also those that are away
            command.append("commitQuorum", new BsonString("majority"));
        }
        CollectionLock.require(database, request.path().requireCollection()); // a limit would end long builds, too
        BoundedConcern.requireSatisfied(database.runCommand(command, BsonDocument.class));
    }

    private boolean hasMembers() {
        return switch (collections.client().getClusterDescription().getType()) {
            case REPLICA_SET, SHARDED, LOAD_BALANCED -> true;
            case STANDALONE, UNKNOWN -> false;
        };
    }

    private static Problem refusal(MongoCommandException e) {
        if (MongoCodes.isOfDeployment(e.getErrorCode()) || e.getErrorCode() == MongoCodes.UNAUTHORIZED) {
            throw e;
        }
        var problem = Problem.of(CONTENT_INVALID, "error creating the index")
                .orElse("error creating the index: " + MongoCodes.error(e.getErrorCode()));
        return ErrorCategory.fromErrorCode(e.getErrorCode()) == ErrorCategory.DUPLICATE_KEY
                ? problem.because(
                        "com.mongodb.DuplicateKeyException",
                        MongoCodes.ofCode(e.getErrorCode(), e.getErrorMessage()).message())
                : problem.because("com.mongodb.MongoCommandException", MongoErrors.details(e));
    }

    /// `DELETE /{db}/{collection}/_indexes/{name}`: an index that does not exist is 404; names that begin with `_` are
    /// protected.
    public Response delete(DataRequest request) {
        var name = request.path().requireName();
        if (name.startsWith("_")) {
            throw new ProblemException(INDEX_PROTECTED, name + " is a default index and cannot be deleted");
        }
        if (name.equals("*")) { // to MongoDB this means every index
            throw missing(name);
        }
        request.http().requireThread();
        try {
            CollectionLock.within(() -> {
                collections
                        .of(request)
                        .dropIndex(name, new DropIndexOptions().maxTime(CollectionLock.MILLIS, TimeUnit.MILLISECONDS));
                return name;
            });
        } catch (MongoCommandException e) {
            if (e.getErrorCode() == MongoCodes.INDEX_NOT_FOUND) {
                throw missing(name);
            }
            throw e;
        }
        return JsonResponses.empty(204);
    }

    private static RuntimeException missing(String name) {
        return new ProblemException(NOT_FOUND, "index '" + name + "' does not exist");
    }
}
