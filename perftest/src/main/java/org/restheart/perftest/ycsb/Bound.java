package org.restheart.perftest.ycsb;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClients;
import java.net.InetSocketAddress;
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
}
