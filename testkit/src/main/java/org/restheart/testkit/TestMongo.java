package org.restheart.testkit;

import static org.awaitility.Awaitility.await;

import com.mongodb.MongoOperationTimeoutException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.bson.BsonDocument;

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

    /// The same with another option, such as `maxPoolSize=5`, in place of one of its name.
    public String connectionString(String option) {
        var name = option.substring(0, option.indexOf('=') + 1);
        var kept = connectionString.replaceAll("(?<=[?&])" + name + "[^&]*&?", "");
        var path = kept.contains("?") || !kept.matches("mongodb://[^/]+") ? kept : kept + "/";
        return path + (path.matches(".*[?&]") ? "" : path.contains("?") ? "&" : "?") + option;
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

    /// What a deployment has in hand just now, cursors that nobody reads among them; of `$currentOp`.
    ///
    /// @param match a filter as JSON
    public static List<BsonDocument> operations(MongoClient client, String match) {
        return client.getDatabase("admin")
                .aggregate(
                        List.of(
                                BsonDocument.parse("{$currentOp: {allUsers: true, idleCursors: true}}"),
                                new BsonDocument("$match", BsonDocument.parse(match))),
                        BsonDocument.class)
                .into(new ArrayList<>());
    }

    /// What tests do while MongoDB records the commands of a database.
    ///
    /// @param <E> what it throws
    @FunctionalInterface
    public interface Action<E extends Exception> {
        void run() throws E;
    }

    /// What MongoDB executed meanwhile; of its profiler.
    ///
    /// @param match a filter as JSON
    public static <E extends Exception> List<BsonDocument> profiled(
            MongoDatabase database, String match, Action<E> action) throws E {
        var profile = database.getCollection("system.profile", BsonDocument.class);
        database.runCommand(BsonDocument.parse("{profile: 0}"));
        profile.drop(); // it holds the latest only
        database.runCommand(BsonDocument.parse("{profile: 2}"));
        try {
            action.run();
        } finally {
            database.runCommand(BsonDocument.parse("{profile: 0}"));
        }
        return profile.find(BsonDocument.parse(match)).into(new ArrayList<>());
    }

    /// Does something, and waits until MongoDB has executed so many commands of a kind since it began.
    ///
    /// @param match as above
    public static <E extends Exception> void awaitExecuted(
            MongoDatabase database, String match, int times, Action<E> action) throws E {
        var filter = BsonDocument.parse(match);
        profiled(database, match, () -> {
            action.run();
            await().until(() -> database.getCollection("system.profile").countDocuments(filter) >= times);
        });
    }

    /// Called by the extension after the last test of the class.
    ///
    /// @throws AssertionError with what is in progress if a database cannot be dropped within two minutes
    @Override
    public void close() {
        for (var name : toDrop) {
            try {
                client.getDatabase(name).withTimeout(2, TimeUnit.MINUTES).drop();
            } catch (MongoOperationTimeoutException e) {
                throw new AssertionError("dropping " + name + " waits for one of " + inProgress(), e);
            }
        }
    }

    private String inProgress() {
        return client.getDatabase("admin")
                .withTimeout(10, TimeUnit.SECONDS)
                .runCommand(BsonDocument.parse("{currentOp: 1, $all: true}"), BsonDocument.class)
                .toJson();
    }
}
