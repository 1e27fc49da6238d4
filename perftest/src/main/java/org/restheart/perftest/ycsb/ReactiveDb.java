package org.restheart.perftest.ycsb;

import com.mongodb.WriteConcern;
import com.mongodb.reactivestreams.client.MongoDatabase;
import java.util.List;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.reactivestreams.Publisher;

/// YCSB over the reactive streams driver: each thread waits for its answer, as YCSB's threads do. Thread-safe.
final class ReactiveDb extends MongoDb {
    private final MongoDatabase database;

    ReactiveDb(MongoDatabase database) {
        this.database = database.withWriteConcern(WriteConcern.MAJORITY);
    }

    @Override
    List<Document> find(String table, Bson filter, Bson projection, int limit) {
        return await(database.getCollection(table)
                .find(filter)
                .projection(projection)
                .sort(BY_ID)
                .limit(limit));
    }

    @Override
    boolean update(String table, Bson filter, Bson update) {
        return await(database.getCollection(table).updateOne(filter, update))
                        .getFirst()
                        .getMatchedCount()
                == 1;
    }

    @Override
    void insert(String table, Document document) {
        await(database.getCollection(table).insertOne(document));
    }

    @Override
    void delete(String table, Bson filter) {
        await(database.getCollection(table).deleteOne(filter));
    }

    private static <T> List<T> await(Publisher<T> publisher) {
        var gathered = new Gathered<T>();
        publisher.subscribe(gathered);
        return gathered.await();
    }
}
