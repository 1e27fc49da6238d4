package org.restheart.mongo.write;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.client.MongoCluster;
import com.mongodb.client.model.InsertManyOptions;
import java.util.List;
import java.util.function.Function;
import org.bson.RawBsonDocument;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// Inserts each request's documents in a separate command. Thread-safe.
public final class PlainBulkInserts implements BulkInserts {
    private static final InsertManyOptions UNORDERED = new InsertManyOptions().ordered(false);

    private final MongoCluster client;

    public PlainBulkInserts(MongoCluster client) {
        this.client = client;
    }

    @Override
    public Response insert(Request request, BulkInsert insert, Function<List<BulkWriteError>, Response.Ready> answer) {
        request.requireThread();
        return answer.apply(insert(insert));
    }

    private List<BulkWriteError> insert(BulkInsert insert) {
        try {
            client.getDatabase(insert.namespace().getDatabaseName())
                    .getCollection(insert.namespace().getCollectionName(), RawBsonDocument.class)
                    .withWriteConcern(insert.writeConcern())
                    .insertMany(insert.documents(), UNORDERED);
            return List.of();
        } catch (MongoBulkWriteException e) {
            return errors(e);
        }
    }

    /// The errors of refused documents.
    ///
    /// @throws MongoBulkWriteException the same one, if more failed than single documents
    public static List<BulkWriteError> errors(MongoBulkWriteException e) {
        if (e.getWriteErrors().isEmpty() || e.getWriteConcernError() != null) {
            throw e;
        }
        return e.getWriteErrors();
    }
}
