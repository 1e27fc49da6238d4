package org.restheart.perftest.driver;

import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.regex;
import static com.mongodb.client.model.Sorts.descending;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoException;
import com.mongodb.WriteConcern;
import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.gridfs.GridFSBucket;
import com.mongodb.client.gridfs.GridFSBuckets;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.NoSuchElementException;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.bson.BsonString;
import org.bson.Document;
import org.bson.RawBsonDocument;
import org.bson.types.ObjectId;
import org.restheart.perftest.measure.Clock;
import org.restheart.perftest.measure.Measurement;
import org.restheart.perftest.measure.Recording;
import org.restheart.perftest.workload.Documents;
import org.restheart.perftest.workload.Namespace;
import org.restheart.perftest.workload.Operation;
import org.restheart.perftest.workload.Window;

/// Measures the synchronous driver: so many platform threads, a pooled connection for each. Immutable.
public record DriverLoad(String connectionString, Operation operation, int threads, Window window, long seed) {

    /// Connects, repeats the operation through warm-up and recording, and closes the client again.
    public Measurement run(Recording recording) throws IOException, InterruptedException {
        var settings = MongoClientSettings.builder()
                .applyConnectionString(new ConnectionString(connectionString))
                .applyToConnectionPoolSettings(pool -> pool.maxSize(threads).minSize(threads))
                .build();
        try (var client = MongoClients.create(settings);
                var executor = Executors.newFixedThreadPool(threads)) {
            var calls = new DriverCall(client);
            // waits for the primary, so that the clock starts with a driver that is ready
            client.getDatabase("admin").runCommand(new Document("ping", 1));
            var clock = new Clock(System.nanoTime(), window);
            var running = IntStream.range(0, threads)
                    .mapToObj(i -> calls.of(operation, new SplittableRandom(seed * 31 + i)))
                    .map(call -> executor.submit(clock.closedLoop(() -> attempt(call))))
                    .toList();
            return recording.of(clock, running);
        }
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

    /// One operation, done through the driver as by an application that uses only the documents.
    ///
    /// Reads decode to [RawBsonDocument]: the HTTP client does not build trees from the answers either. All may be
    /// used by several threads.
    private static final class DriverCall {
        private final MongoClient client;
        private final AtomicLong steps = new AtomicLong();

        DriverCall(MongoClient client) {
            this.client = client;
        }

        /// What a thread runs again and again; it throws the driver's exceptions, and [NoSuchElementException] when
        /// nothing is found.
        Runnable of(Operation operation, SplittableRandom random) {
            return switch (operation) {
                case Operation.Ping _ -> {
                    var admin = client.getDatabase("admin");
                    yield () -> admin.runCommand(new Document("ping", 1));
                }
                case Operation.Insert insert -> insert(insert);
                case Operation.FindById(var namespace, var documents) -> {
                    var collection = reading(namespace);
                    yield () -> one(collection.find(eq(Documents.id(random.nextInt(documents)))));
                }
                case Operation.Page(var namespace, var skip, var limit) -> {
                    var collection = reading(namespace);
                    yield () -> page(collection, skip, limit);
                }
                case Operation.RandomPage(var namespace, var from, var to, var limit) -> {
                    var collection = reading(namespace);
                    yield () -> page(collection, random.nextLong(from / limit, to / limit) * limit, limit);
                }
                case Operation.GrowingPage(var namespace, var from, var step, var limit) -> {
                    var collection = reading(namespace);
                    yield () -> page(collection, from + steps.getAndIncrement() * step, limit);
                }
                case Operation.Matching(var namespace, var field, var pattern, var limit) -> {
                    var collection = reading(namespace);
                    yield () -> all(collection
                            .find(regex(field, pattern))
                            .sort(descending("_id"))
                            .limit(limit));
                }
                case Operation.Upload(var namespace, var bytes) -> {
                    var content = new byte[bytes];
                    Arrays.fill(content, (byte) 'x');
                    var bucket = bucket(namespace);
                    yield () -> bucket.uploadFromStream("file", new ByteArrayInputStream(content));
                }
                case Operation.Download(var namespace, var files) -> {
                    var bucket = bucket(namespace);
                    yield () -> bucket.downloadToStream(
                            new BsonString("f" + random.nextInt(files)), OutputStream.nullOutputStream());
                }
            };
        }

        private GridFSBucket bucket(Namespace namespace) {
            return GridFSBuckets.create(database(namespace), namespace.bucket())
                    .withWriteConcern(WriteConcern.MAJORITY);
        }

        /// As the gateway does, each document gets an `_id` and an `_etag` of its own.
        private Runnable insert(Operation.Insert insert) {
            var payload = Documents.fields(0, insert.payloadBytes());
            var collection = database(insert.namespace())
                    .getCollection(insert.namespace().collection())
                    .withWriteConcern(WriteConcern.MAJORITY);
            if (insert.batch() == 1) {
                return () -> collection.insertOne(stamped(payload));
            }
            return () -> collection.insertMany(IntStream.range(0, insert.batch())
                    .mapToObj(_ -> stamped(payload))
                    .toList());
        }

        private static Document stamped(Document payload) {
            var document = new Document("_id", new ObjectId());
            document.putAll(payload);
            return document.append("_etag", new ObjectId());
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

        private MongoCollection<RawBsonDocument> reading(Namespace namespace) {
            return database(namespace).getCollection(namespace.collection(), RawBsonDocument.class);
        }

        private MongoDatabase database(Namespace namespace) {
            return client.getDatabase(namespace.database());
        }
    }
}
