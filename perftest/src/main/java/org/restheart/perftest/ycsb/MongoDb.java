package org.restheart.perftest.ycsb;

import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.gte;
import static com.mongodb.client.model.Projections.include;
import static com.mongodb.client.model.Sorts.ascending;

import com.mongodb.MongoException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;

/// YCSB over a MongoDB driver, whichever it is; writes with majority. Thread-safe.
abstract class MongoDb extends DB {

    /// In the order of `_id`.
    abstract List<Values> find(String table, Bson filter, Bson projection, int limit);

    /// @return whether there was such a document
    abstract boolean update(String table, Bson filter, Bson update);

    abstract void insert(String table, Document document);

    abstract void delete(String table, Bson filter);

    static final Bson BY_ID = ascending("_id");

    @Override
    public Status read(String table, String key, @Nullable Set<String> fields, Map<String, ByteIterator> result) {
        return attempt(() -> {
            var found = find(table, eq(key), projection(fields), 1);
            found.forEach(values -> result.putAll(values.byName()));
            return found.isEmpty() ? Status.NOT_FOUND : Status.OK;
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
            find(table, gte("_id", first), projection(fields), count).forEach(values -> result.add(values.byName()));
            return Status.OK;
        });
    }

    @Override
    public Status update(String table, String key, Map<String, ByteIterator> values) {
        return attempt(
                () -> update(table, eq(key), new Document("$set", document(values))) ? Status.OK : Status.NOT_FOUND);
    }

    @Override
    public Status insert(String table, String key, Map<String, ByteIterator> values) {
        return attempt(() -> {
            var document = new Document("_id", key);
            document.putAll(document(values));
            insert(table, document);
            return Status.OK;
        });
    }

    @Override
    public Status delete(String table, String key) {
        return attempt(() -> {
            delete(table, eq(key));
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

    private static Bson projection(@Nullable Set<String> fields) {
        return fields == null ? new BsonDocument() : include(new ArrayList<>(fields));
    }

    static Document document(Map<String, ByteIterator> values) {
        var document = new Document();
        values.forEach((name, value) -> document.append(name, value.toString()));
        return document;
    }
}
