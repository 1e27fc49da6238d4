package org.restheart.mongo.management;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;
import static org.restheart.http.ProblemCode.PARAMETER_INVALID;

import com.mongodb.ErrorCategory;
import com.mongodb.MongoCommandException;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.http.Problem;
import org.restheart.http.Response;
import org.restheart.mongo.concern.UnsatisfiedConcern;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.error.MongoErrors;
import org.restheart.mongo.exchange.Collections;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.JsonResponses;
import org.restheart.mongo.guard.HiddenFields;
import org.restheart.mongo.write.CollectionLock;

/// `PUT /{db}/{collection}/_indexes/{name}`: makes an index. Making the same one again changes nothing.
public final class PutIndex implements DataHandler {
    private final Collections collections;

    public PutIndex(Collections collections) {
        this.collections = collections;
    }

    @Override
    public Response handle(DataRequest request) {
        var name = request.path().requireName();
        if (name.startsWith("_")) {
            throw Problem.of(PARAMETER_INVALID, "index name cannot start with _")
                    .raise();
        }
        var index = IndexSpecification.of(name, request.contentDocument());
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
        UnsatisfiedConcern.refuse(database.runCommand(command, BsonDocument.class));
    }

    private boolean hasMembers() {
        return switch (collections.client().getClusterDescription().getType()) {
            case REPLICA_SET, SHARDED, LOAD_BALANCED -> true;
            case STANDALONE, UNKNOWN -> false;
        };
    }

    private static Problem refusal(MongoCommandException e) {
        if (MongoCodes.isOfDeployment(e.getErrorCode())) {
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
}
