package org.restheart.mongo.write;

import com.mongodb.MongoWriteException;
import com.mongodb.client.MongoCluster;
import java.util.function.Function;
import org.bson.RawBsonDocument;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// Inserts each document in a separate command. Thread-safe.
public final class PlainInserts implements Inserts {
    private final MongoCluster client;

    public PlainInserts(MongoCluster client) {
        this.client = client;
    }

    @Override
    public Response insert(Request request, Insert insert, Function<InsertOutcome, Response.Ready> answer) {
        request.requireThread();
        return answer.apply(insert(insert));
    }

    private InsertOutcome insert(Insert insert) {
        try {
            client.getDatabase(insert.namespace().getDatabaseName())
                    .getCollection(insert.namespace().getCollectionName(), RawBsonDocument.class)
                    .withWriteConcern(insert.writeConcern())
                    .insertOne(insert.document());
            return new InsertOutcome.Inserted();
        } catch (MongoWriteException e) {
            return new InsertOutcome.Refused(e.getError());
        }
    }
}
