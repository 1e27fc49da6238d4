package org.restheart.perftest.ycsb;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoDatabase;
import java.util.ArrayList;
import java.util.List;
import org.bson.Document;
import org.bson.conversions.Bson;

/// YCSB over the synchronous driver. Thread-safe.
final class DriverDb extends MongoDb {
    private final MongoDatabase database;

    DriverDb(MongoDatabase database) {
        this.database = database.withWriteConcern(WriteConcern.MAJORITY);
    }

    @Override
    List<Document> find(String table, Bson filter, Bson projection, int limit) {
        var found = database.getCollection(table)
                .find(filter)
                .projection(projection)
                .sort(BY_ID)
                .limit(limit);
        return found.into(new ArrayList<>());
    }

    @Override
    boolean update(String table, Bson filter, Bson update) {
        return database.getCollection(table).updateOne(filter, update).getMatchedCount() == 1;
    }

    @Override
    void insert(String table, Document document) {
        database.getCollection(table).insertOne(document);
    }

    @Override
    void delete(String table, Bson filter) {
        database.getCollection(table).deleteOne(filter);
    }
}
