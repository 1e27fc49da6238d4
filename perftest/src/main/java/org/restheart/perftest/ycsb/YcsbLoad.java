package org.restheart.perftest.ycsb;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.Vector;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.restheart.perftest.measure.Clock;
import org.restheart.perftest.measure.Measurement;
import org.restheart.perftest.measure.Recording;
import org.restheart.perftest.measure.Tally;
import org.restheart.perftest.workload.Namespace;
import org.restheart.perftest.workload.Window;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;
import site.ycsb.WorkloadException;
import site.ycsb.workloads.CoreWorkload;

/// Runs one core workload through one binding: each thread does one transaction after the other. Immutable.
///
/// @param namespace holds `records` documents that [YcsbTable] has loaded
/// @param seed of what the threads choose; see [SeededWorkload]
public record YcsbLoad(
        YcsbWorkload workload,
        YcsbBinding binding,
        Namespace namespace,
        long records,
        int threads,
        Window window,
        long seed) {

    /// Measures transactions: a read-modify-write is one.
    public Measurement run(Recording recording) throws IOException, InterruptedException {
        var workloads = workload.create(namespace.collection(), records, threads, seed);
        try (var bound = Bound.to(binding, namespace);
                var executor = Executors.newFixedThreadPool(threads)) {
            var clock = new Clock(System.nanoTime(), window);
            var running = new ArrayList<Future<Tally>>();
            for (var i = 0; i < threads; i++) {
                var core = workloads.get(i);
                running.add(
                        executor.submit(transactions(core, new WatchedDb(bound.db()), threadState(core, i), clock)));
            }
            return recording.of(clock, running);
        } catch (WorkloadException e) {
            throw new IllegalStateException("the core workload does not start", e);
        }
    }

    private static Callable<Tally> transactions(CoreWorkload core, WatchedDb db, Object state, Clock clock) {
        return clock.closedLoop(() -> {
            core.doTransaction(db, state);
            return db.takeFailure();
        });
    }

    /// The core workloads have none, but that is theirs to know.
    private Object threadState(CoreWorkload core, int thread) throws WorkloadException {
        return core.initThread(new Properties(), thread, threads);
    }

    /// Records whether any operation of a transaction failed, which the core workloads do not report. One per thread.
    private static final class WatchedDb extends DB {
        private final DB db;
        private String failure = "";

        WatchedDb(DB db) {
            this.db = db;
        }

        /// What failed since the last call, empty if nothing did.
        String takeFailure() {
            var taken = failure;
            failure = "";
            return taken;
        }

        @Override
        public Status read(String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
            return watched(db.read(table, key, fields, result));
        }

        @Override
        @SuppressWarnings("NonApiType") // as YCSB declares it
        public Status scan(
                String table,
                String first,
                int count,
                Set<String> fields,
                Vector<HashMap<String, ByteIterator>> result) {
            return watched(db.scan(table, first, count, fields, result));
        }

        @Override
        public Status update(String table, String key, Map<String, ByteIterator> values) {
            return watched(db.update(table, key, values));
        }

        @Override
        public Status insert(String table, String key, Map<String, ByteIterator> values) {
            return watched(db.insert(table, key, values));
        }

        @Override
        public Status delete(String table, String key) {
            return watched(db.delete(table, key));
        }

        private Status watched(Status status) {
            if (!status.isOk()) {
                failure = status.getName();
            }
            return status;
        }
    }

    /// A binding at work: one database object for all threads, and what to close afterwards.
    private record Bound(DB db, Runnable end) implements AutoCloseable {

        static Bound to(YcsbBinding binding, Namespace namespace) {
            return switch (binding) {
                case YcsbBinding.Driver(var connectionString, var connections) -> {
                    var client = MongoClients.create(settings(connectionString, connections));
                    yield new Bound(new DriverDb(client.getDatabase(namespace.database())), client::close);
                }
                case YcsbBinding.Reactive(var connectionString, var connections) -> {
                    var client = com.mongodb.reactivestreams.client.MongoClients.create(
                            settings(connectionString, connections));
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
}
