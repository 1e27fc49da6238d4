package org.restheart.perftest.ycsb;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.restheart.perftest.workload.Namespace;
import site.ycsb.DB;

/// A binding at work: one database object for all threads, and what to close afterwards.
record Bound(DB db, Runnable end) implements AutoCloseable {

    static Bound to(YcsbBinding binding, Namespace namespace) {
        return switch (binding) {
            case YcsbBinding.Driver(var connectionString, var connections) -> {
                var client = MongoClients.create(settings(connectionString, connections));
                yield new Bound(new DriverDb(client.getDatabase(namespace.database())), client::close);
            }
            case YcsbBinding.Reactive(var connectionString, var connections) -> {
                var client =
                        com.mongodb.reactivestreams.client.MongoClients.create(settings(connectionString, connections));
                yield new Bound(new ReactiveDb(client.getDatabase(namespace.database())), client::close);
            }
            case YcsbBinding.Http(var host, var port, var credentials, var connections, var bson) -> {
                var pool = new HttpPool(new InetSocketAddress(host, port), credentials, connections);
                yield new Bound(new HttpDb(pool, namespace.database(), bson), pool::close);
            }
        };
    }

    private static MongoClientSettings settings(String connectionString, int connections) {
        return MongoClientSettings.builder()
                .applyConnectionString(new ConnectionString(connectionString))
                .applyToConnectionPoolSettings(pool -> pool.maxSize(connections))
                .build();
    }

    @Override
    public void close() {
        end.run();
    }

    /// YCSB over the synchronous driver. Thread-safe.
    private static final class DriverDb extends MongoDb {
        private final MongoDatabase database;

        DriverDb(MongoDatabase database) {
            this.database = database.withWriteConcern(WriteConcern.MAJORITY).withCodecRegistry(Values.WITH_VALUES);
        }

        @Override
        List<Values> find(String table, Bson filter, Bson projection, int limit) {
            var found = database.getCollection(table, Values.class)
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
}
