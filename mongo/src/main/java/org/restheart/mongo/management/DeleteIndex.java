package org.restheart.mongo.management;

import static org.restheart.http.ProblemCode.INDEX_PROTECTED;
import static org.restheart.http.ProblemCode.NOT_FOUND;

import com.mongodb.MongoCommandException;
import com.mongodb.client.model.DropIndexOptions;
import java.util.concurrent.TimeUnit;
import org.restheart.http.Problem;
import org.restheart.http.Response;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.exchange.Collections;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.JsonResponses;
import org.restheart.mongo.write.CollectionLock;

/// `DELETE /{db}/{collection}/_indexes/{name}`.
public final class DeleteIndex implements DataHandler {
    private final Collections collections;

    public DeleteIndex(Collections collections) {
        this.collections = collections;
    }

    @Override
    public Response handle(DataRequest request) {
        var name = request.path().requireName();
        if (name.startsWith("_")) {
            throw Problem.of(INDEX_PROTECTED, name + " is a default index and cannot be deleted")
                    .raise();
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
        return Problem.of(NOT_FOUND, "index '" + name + "' does not exist").raise();
    }
}
