package org.restheart.testkit;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/// The replica set for one test class: a database of its own, dropped afterwards with its content. Thread-safe.
public final class TestMongo implements AutoCloseable {
    private final MongoClient client;
    private final String connectionString;
    private final String databaseName;
    private final AtomicInteger others = new AtomicInteger();
    private final Queue<String> toDrop = new ConcurrentLinkedQueue<>();

    TestMongo(MongoClient client, String connectionString, String databaseName) {
        this.client = client;
        this.connectionString = connectionString;
        this.databaseName = databaseName;
        toDrop.add(databaseName);
    }

    /// For the whole test run: do not close it.
    public MongoClient client() {
        return client;
    }

    /// For clients that a test makes itself. May contain credentials.
    public String connectionString() {
        return connectionString;
    }

    public MongoDatabase database() {
        return client.getDatabase(databaseName);
    }

    /// Unique in the deployment, at most 50 characters, safe in a URL.
    public String databaseName() {
        return databaseName;
    }

    /// A further database, dropped afterwards too.
    public String newDatabaseName() {
        var name = databaseName + "_" + others.incrementAndGet();
        toDrop.add(name);
        return name;
    }

    /// Called by the extension after the last test of the class.
    @Override
    public void close() {
        toDrop.forEach(name -> client.getDatabase(name).drop());
    }
}
