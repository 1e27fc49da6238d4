package org.restheart.perftest.ycsb;

import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertManyOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import org.bson.Document;
import org.bson.types.ObjectId;
import org.restheart.perftest.workload.Namespace;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;

/// The table that transactions work on, as YCSB's loading phase leaves it; written in bulk because that is not
/// measured.
public final class YcsbTable {
    private static final int CHUNK = 1000;

    private YcsbTable() {}

    /// Drops the collection and fills it with so many records.
    public static void load(String connectionString, Namespace namespace, long records) {
        var workload = YcsbWorkload.C.create(namespace.collection(), records);
        try (var client = MongoClients.create(connectionString)) {
            var collection = client.getDatabase(namespace.database()).getCollection(namespace.collection());
            collection.drop();
            var bulk = new Bulk(collection);
            for (var i = 0L; i < records; i++) {
                workload.doInsert(bulk, null);
            }
            bulk.flush();
        }
    }

    private static final class Bulk extends DB {
        private final MongoCollection<Document> collection;
        private final List<Document> waiting = new ArrayList<>();

        Bulk(MongoCollection<Document> collection) {
            this.collection = collection;
        }

        void flush() {
            if (!waiting.isEmpty()) {
                collection.insertMany(waiting, new InsertManyOptions().ordered(false));
                waiting.clear();
            }
        }

        @Override
        public Status insert(String table, String key, Map<String, ByteIterator> values) {
            var document = new Document("_id", key);
            document.putAll(MongoDb.document(values));
            waiting.add(document.append("_etag", new ObjectId()));
            if (waiting.size() == CHUNK) {
                flush();
            }
            return Status.OK;
        }

        @Override
        public Status read(String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
            return Status.NOT_IMPLEMENTED;
        }

        @Override
        @SuppressWarnings("NonApiType") // as YCSB declares it
        public Status scan(
                String table,
                String first,
                int count,
                Set<String> fields,
                Vector<HashMap<String, ByteIterator>> result) {
            return Status.NOT_IMPLEMENTED;
        }

        @Override
        public Status update(String table, String key, Map<String, ByteIterator> values) {
            return Status.NOT_IMPLEMENTED;
        }

        @Override
        public Status delete(String table, String key) {
            return Status.NOT_IMPLEMENTED;
        }
    }
}
