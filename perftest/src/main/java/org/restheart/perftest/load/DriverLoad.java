package org.restheart.perftest.load;

import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.gte;
import static com.mongodb.client.model.Filters.regex;
import static com.mongodb.client.model.Sorts.ascending;
import static com.mongodb.client.model.Sorts.descending;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoException;
import com.mongodb.TransactionOptions;
import com.mongodb.WriteConcern;
import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.bson.Document;
import org.bson.RawBsonDocument;
import org.bson.types.ObjectId;
import org.restheart.perftest.measure.Clock;
import org.restheart.perftest.measure.CpuWatch;
import org.restheart.perftest.measure.Measurement;
import org.restheart.perftest.measure.Tally;
import org.restheart.perftest.workload.Documents;
import org.restheart.perftest.workload.Namespace;
import org.restheart.perftest.workload.Operation;
import org.restheart.perftest.workload.Window;
import org.restheart.perftest.workload.Zipf;

/// Measures the synchronous driver: so many platform threads, a pooled connection for each. Immutable.
///
/// @param pids whose CPU time is measured besides that of this process, by name
public record DriverLoad(
        String connectionString, Operation operation, int threads, Window window, long seed, Map<String, Long> pids) {

    /// Connects, repeats the operation through warm-up and recording, and closes the client again.
    public Measurement run() throws IOException, InterruptedException {
        var settings = MongoClientSettings.builder()
                .applyConnectionString(new ConnectionString(connectionString))
                .applyToConnectionPoolSettings(pool -> pool.maxSize(threads).minSize(threads))
                .build();
        try (var client = MongoClients.create(settings);
                var executor = Executors.newFixedThreadPool(threads)) {
            // waits for the primary, so that the clock starts with a driver that is ready
            client.getDatabase("admin").runCommand(new Document("ping", 1));
            var clock = new Clock(System.nanoTime(), window);
            var running = IntStream.range(0, threads)
                    .mapToObj(i -> calls(client, new SplittableRandom(seed * 31 + i)))
                    .map(call -> executor.submit(clock.closedLoop(() -> attempt(call))))
                    .toList();
            return measured(clock, running);
        }
    }

    /// Waits until recording is over and the threads have ended.
    private Measurement measured(Clock clock, List<Future<Tally>> threads) throws IOException, InterruptedException {
        var watch = new CpuWatch(pids).alsoThisProcess(Wrk.CLIENT);
        clock.awaitRecording();
        var begin = watch.read();
        clock.awaitEnd();
        var cpu = watch.since(begin);
        var total = new Tally();
        for (var thread : threads) {
            try {
                total.add(thread.get());
            } catch (ExecutionException e) {
                throw new IOException("a thread of the load failed", e.getCause());
            }
        }
        return total.measurement(clock, cpu);
    }

    /// @return the kind of failure, empty for success
    private static String attempt(Runnable call) {
        try {
            call.run();
            return "";
        } catch (MongoException e) {
            return e.getClass().getSimpleName() + " " + e.getCode();
        } catch (NoSuchElementException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /// What a thread runs again and again, as an application would that uses only the documents. Reads build no trees,
    /// as the HTTP client does not either.
    ///
    /// @throws NoSuchElementException by a call that finds nothing
    private Runnable calls(MongoClient client, SplittableRandom random) {
        return switch (operation) {
            case Operation.Ping _ -> {
                var admin = client.getDatabase("admin");
                yield () -> admin.runCommand(new Document("ping", 1));
            }
            case Operation.Insert(var namespace, var batch, var bytes) -> {
                var collection = writing(client, namespace);
                var payload = Documents.fields(0, bytes);
                yield batch == 1
                        ? () -> collection.insertOne(stamped(payload))
                        : () -> collection.insertMany(IntStream.range(0, batch)
                                .mapToObj(_ -> stamped(payload))
                                .toList());
            }
            case Operation.FindById(var namespace, var documents) -> {
                var collection = reading(client, namespace);
                yield () -> one(collection.find(eq(Documents.id(random.nextInt(documents)))));
            }
            case Operation.Update(var namespace, var documents) -> {
                var collection = writing(client, namespace);
                yield () -> update(collection, Documents.id(random.nextInt(documents)), "text", "changed");
            }
            case Operation.Transfer(var namespace, var documents) -> {
                var collection = writing(client, namespace);
                var session = client.startSession();
                yield () -> session.withTransaction(
                        () -> {
                            for (int n : List.of(-1, 1)) {
                                var change = new Document("$inc", new Document("n", n))
                                        .append("$set", new Document("_etag", new ObjectId()));
                                collection.updateOne(session, eq(Documents.id(random.nextInt(documents))), change);
                            }
                            return documents;
                        },
                        TransactionOptions.builder()
                                .writeConcern(WriteConcern.MAJORITY)
                                .build());
            }
            case Operation.Page(var namespace, var skip, var limit) -> {
                var collection = reading(client, namespace);
                yield () -> page(collection, skip, limit);
            }
            case Operation.RandomPage(var namespace, var from, var to, var limit) -> {
                var collection = reading(client, namespace);
                yield () -> page(collection, random.nextLong(from / limit, to / limit) * limit, limit);
            }
            case Operation.Matching(var namespace, var field, var pattern, var limit) -> {
                var collection = reading(client, namespace);
                yield () -> all(collection
                        .find(regex(field, pattern))
                        .sort(descending("_id"))
                        .limit(limit));
            }
            case Operation.Ycsb ycsb -> ycsb(ycsb, client, random);
        };
    }

    private static Runnable ycsb(Operation.Ycsb ycsb, MongoClient client, SplittableRandom random) {
        var read = reading(client, ycsb.namespace());
        var written = writing(client, ycsb.namespace());
        var zipf = new Zipf(ycsb.documents());
        var text = "x".repeat(Operation.Ycsb.FIELD_BYTES);
        var inserted = Documents.ycsb(0);
        var kinds = new ArrayList<Runnable>();
        add(kinds, ycsb.workload().reads(), () -> one(read.find(eq(Documents.id(zipf.next(random))))));
        add(kinds, ycsb.workload().updates(), () -> update(written, Documents.id(zipf.next(random)), "field0", text));
        add(kinds, ycsb.workload().inserts(), () -> written.insertOne(stamped(inserted)));
        add(
                kinds,
                ycsb.workload().scans(),
                () -> all(read.find(gte("_id", Documents.id(zipf.next(random))))
                        .sort(ascending("_id"))
                        .limit(1 + random.nextInt(Operation.Ycsb.LONGEST_SCAN))));
        return () -> kinds.get(random.nextInt(kinds.size())).run();
    }

    private static void add(List<Runnable> kinds, int weight, Runnable kind) {
        for (int i = 0; i < weight; i++) {
            kinds.add(kind);
        }
    }

    /// As the gateway does, each document gets an `_id` and an `_etag` of its own.
    private static Document stamped(Document payload) {
        var document = new Document("_id", new ObjectId());
        document.putAll(payload);
        return document.append("_etag", new ObjectId());
    }

    private static void update(MongoCollection<Document> collection, ObjectId id, String field, String value) {
        var change = new Document("$set", new Document(field, value).append("_etag", new ObjectId()));
        if (collection.updateOne(eq(id), change).getMatchedCount() == 0) {
            throw new NoSuchElementException("no such document");
        }
    }

    private static void page(MongoCollection<RawBsonDocument> collection, long skip, int limit) {
        all(collection
                .find()
                .sort(descending("_id"))
                .skip(Math.toIntExact(skip))
                .limit(limit));
    }

    private static void one(FindIterable<RawBsonDocument> found) {
        if (found.first() == null) {
            throw new NoSuchElementException("no such document");
        }
    }

    private static void all(FindIterable<RawBsonDocument> found) {
        try (var cursor = found.cursor()) {
            if (!cursor.hasNext()) {
                throw new NoSuchElementException("empty page");
            }
            while (cursor.hasNext()) {
                cursor.next();
            }
        }
    }

    private static MongoCollection<RawBsonDocument> reading(MongoClient client, Namespace namespace) {
        return client.getDatabase(namespace.database()).getCollection(namespace.collection(), RawBsonDocument.class);
    }

    private static MongoCollection<Document> writing(MongoClient client, Namespace namespace) {
        return client.getDatabase(namespace.database())
                .getCollection(namespace.collection())
                .withWriteConcern(WriteConcern.MAJORITY);
    }
}
