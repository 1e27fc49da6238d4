package org.restheart.perftest.ycsb;

import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.gte;
import static com.mongodb.client.model.Projections.include;
import static com.mongodb.client.model.Sorts.ascending;

import com.mongodb.MongoException;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import java.util.function.Supplier;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;
import site.ycsb.StringByteIterator;

/// YCSB over the synchronous driver, writes with majority. Thread-safe.
final class DriverDb extends DB {
    private final MongoDatabase database;

    DriverDb(MongoDatabase database) {
        this.database = database.withWriteConcern(WriteConcern.MAJORITY);
    }

    @Override
    public Status read(String table, String key, @Nullable Set<String> fields, Map<String, ByteIterator> result) {
        return attempt(() -> {
            var found = collection(table).find(eq(key));
            var document = (fields == null ? found : found.projection(include(new ArrayList<>(fields)))).first();
            if (document == null) {
                return Status.NOT_FOUND;
            }
            fill(document, result);
            return Status.OK;
        });
    }

    @Override
    @SuppressWarnings("NonApiType") // as YCSB declares it
    public Status scan(
            String table,
            String first,
            int count,
            @Nullable Set<String> fields,
            Vector<HashMap<String, ByteIterator>> result) {
        return attempt(() -> {
            var found = collection(table)
                    .find(gte("_id", first))
                    .sort(ascending("_id"))
                    .limit(count);
            for (var document : fields == null ? found : found.projection(include(new ArrayList<>(fields)))) {
                var values = new HashMap<String, ByteIterator>();
                fill(document, values);
                result.add(values);
            }
            return Status.OK;
        });
    }

    @Override
    public Status update(String table, String key, Map<String, ByteIterator> values) {
        return attempt(() -> {
            var updated = collection(table).updateOne(eq(key), new Document("$set", document(values)));
            return updated.getMatchedCount() == 1 ? Status.OK : Status.NOT_FOUND;
        });
    }

    @Override
    public Status insert(String table, String key, Map<String, ByteIterator> values) {
        return attempt(() -> {
            var document = new Document("_id", key);
            document.putAll(document(values));
            collection(table).insertOne(document);
            return Status.OK;
        });
    }

    @Override
    public Status delete(String table, String key) {
        return attempt(() -> {
            collection(table).deleteOne(eq(key));
            return Status.OK;
        });
    }

    private static Status attempt(Supplier<Status> operation) {
        try {
            return operation.get();
        } catch (MongoException e) {
            return new Status("MongoDB error " + e.getCode(), String.valueOf(e.getMessage()));
        }
    }

    static Document document(Map<String, ByteIterator> values) {
        var document = new Document();
        values.forEach((name, value) -> document.append(name, value.toString()));
        return document;
    }

    private static void fill(Document document, Map<String, ByteIterator> values) {
        document.forEach((name, value) -> values.put(name, new StringByteIterator(value.toString())));
    }

    private MongoCollection<Document> collection(String table) {
        return database.getCollection(table);
    }
}
