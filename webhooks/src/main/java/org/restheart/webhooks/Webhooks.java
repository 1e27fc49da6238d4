package org.restheart.webhooks;

import com.mongodb.MongoCommandException;
import com.mongodb.client.ChangeStreamIterable;
import com.mongodb.client.MongoChangeStreamCursor;
import com.mongodb.client.MongoClient;
import com.mongodb.client.model.Aggregates;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.changestream.ChangeStreamDocument;
import com.mongodb.client.model.changestream.FullDocument;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.bson.BsonArray;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.codecs.EncoderContext;
import org.bson.conversions.Bson;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriter;
import org.bson.json.JsonWriterSettings;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Lease;
import org.restheart.http.ProblemException;
import org.restheart.plugin.Installation;
import org.restheart.plugin.Meters;
import org.restheart.plugin.Plugin;
import org.restheart.plugin.Settings;
import org.restheart.webhooks.Hook.Content;
import org.restheart.webhooks.Hook.Event;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The plugin. Each hook follows a collection in a task of its own, at one gateway of those that share
/// MongoDB.
public final class Webhooks implements Plugin {
    /// Between two attempts to follow: another gateway does, or MongoDB was away.
    private static final Duration PAUSE = Duration.ofSeconds(5);

    private Runnable closing = () -> {};

    @Override
    public String name() {
        return "webhooks";
    }

    /// @param states the collection of how far each hook is
    private record Hooks(String db, String states, String failures, Duration lease, List<Hook> all) {
        static Hooks of(Settings settings, HttpClient http, Supplier<Lease> memory) {
            return new Hooks(
                    settings.text("db", "restheart"),
                    settings.text("collection", "_webhooks"),
                    settings.text("failures-collection", "_webhookFailures"),
                    Duration.ofMillis(settings.integer("lease-ms", 30_000, 1_000, 600_000)),
                    settings.texts("hooks").stream()
                            .flatMap(name -> Hook.of(name, settings.block(name), http, memory).stream())
                            .toList());
        }
    }

    @Override
    public void check(Settings settings) {
        try (var http = HttpClient.newHttpClient()) {
            Hooks.of(settings, http, () -> Lease.CONSTANT);
        }
    }

    @Override
    public void install(Installation to) {
        var http = HttpClient.newHttpClient();
        closing = http::shutdownNow;
        var hooks = Hooks.of(to.settings(), http, to::memory);
        for (var hook : hooks.all) {
            var mongo = to.mongo().orElseThrow(() -> new IllegalStateException("webhooks need MongoDB (mclient)"));
            var store =
                    new HookStore(mongo.getDatabase(hooks.db), hooks.states, hooks.failures, hook.name(), hooks.lease);
            to.background(hook.name(), PAUSE, new HookFollower(hook, mongo, store, to.meters())::follow);
        }
    }

    @Override
    public void close() {
        closing.run();
    }

    /// Follows the collection of one hook, and sends its changes in batches: those of one document in
    /// their order, those of several at a time. How far it is is stored when a batch is done, so a
    /// change may be sent again, but none is left out.
    static final class HookFollower {
        private static final Logger LOG = LoggerFactory.getLogger(HookFollower.class);
        private static final int MOST_CHANGES = 100;

        /// Characters of JSON, from which on no more changes are added to a batch.
        private static final int LARGE = 4 << 20;

        /// Bytes of a document, beyond which its change is read again for each attempt: a batch keeps
        /// none of these, however long their target does not answer.
        private static final int LARGE_DOCUMENT = 32 << 10;

        /// What a byte of a large document takes: as received, twice as read, as text, and as JSON of
        /// usual length, twice.
        private static final int COPIES = 6;

        /// Bytes of JSON: of the largest document, if most of its characters are escaped by another
        /// one.
        private static final int LARGEST_JSON = 32 << 20;

        /// What MongoDB says of a change instead of its large document.
        private static final String SIZE = "size";

        private static final long WAIT_MILLIS = 500;

        /// Codes of errors of tokens from which no stream goes on: invalid, another collection's, too
        /// old.
        private static final Set<Integer> LOST = Set.of(260, 280, 286);

        private static final BsonInt32 LEFT_OUT = new BsonInt32(0);

        private static final BsonString REMOVED = new BsonString("$$REMOVE");

        private final Hook hook;
        private final MongoClient mongo;
        private final HookStore store;
        private final Meters meters;

        /// When the lease is to be prolonged, by [System#nanoTime()].
        private long renewal;

        /// Once.
        private final AtomicBoolean saysThatItWaits = new AtomicBoolean(true);

        HookFollower(Hook hook, MongoClient mongo, HookStore store, Meters meters) {
            this.hook = hook;
            this.mongo = mongo;
            this.store = store;
            this.meters = meters;
        }

        /// Follows as long as this gateway is the one that does, there is the collection, and it is not
        /// stopped.
        void follow() throws InterruptedException {
            store.create();
            var state = store.lease(null);
            if (state.isEmpty()) {
                return;
            }
            var token = Optional.ofNullable(state.get().get("token")).map(BsonValue::asDocument);
            try (var changes =
                    open(stream -> token.map(stream::startAfter).orElse(stream), LARGE_DOCUMENT, MOST_CHANGES)) {
                renewal = System.nanoTime(); // a new hook stores at once from where on it is told
                boolean isOver = false;
                while (!isOver) {
                    var batch = batch(changes);
                    send(batch);
                    isOver = batch.isEmpty() && changes.getServerCursor() == null; // dropped or renamed
                    if ((isOver || !batch.isEmpty() || isDue()) && !prolong(changes.getResumeToken())) {
                        return;
                    }
                }
            } catch (MongoCommandException e) {
                if (LOST.contains(e.getErrorCode())) {
                    LOG.error(
                            "{} missed changes, which MongoDB does not have any more: it goes on with new ones", hook);
                    store.forget();
                }
                throw e;
            } finally {
                boolean isStopped = Thread.interrupted(); // the driver does nothing in an interrupted thread
                try {
                    store.release();
                } finally {
                    if (isStopped) {
                        Thread.currentThread().interrupt();
                    }
                }
            }
        }

        private void keep(Event event, Optional<byte[]> json, String why, Lease memory) {
            store.fail(event, json, why, memory);
            LOG.warn("{} has given up a change, which is kept: {}", hook, why);
        }

        private boolean isDue() {
            return System.nanoTime() - renewal >= 0;
        }

        /// Whether this gateway is still the one that follows.
        private boolean prolong(@Nullable BsonDocument token) {
            renewal = System.nanoTime() + store.lease().toNanos() / 3;
            return store.lease(token).isPresent();
        }

        /// @param start says from where on
        /// @param largest bytes of a document that comes with its change
        private MongoChangeStreamCursor<ChangeStreamDocument<RawBsonDocument>> open(
                UnaryOperator<ChangeStreamIterable<RawBsonDocument>> start, int largest, int most) {
            var unused = new BsonDocument("updateDescription", LEFT_OUT); // may make an event too large for MongoDB
            if (!hook.withDocument()) {
                unused.append("fullDocument", LEFT_OUT);
            }
            var size = new BsonDocument("$bsonSize", new BsonString("$fullDocument"));
            var isLarge = new BsonDocument("$gt", new BsonArray(List.of(size, new BsonInt32(largest))));
            var stream = mongo.getDatabase(hook.collection().getDatabaseName())
                    .getCollection(hook.collection().getCollectionName())
                    .watch(
                            List.of(
                                    Aggregates.match(Filters.in("operationType", hook.on())),
                                    Aggregates.project(unused),
                                    set(SIZE, isLarge, size, REMOVED),
                                    set(
                                            "fullDocument",
                                            new BsonString("$" + SIZE),
                                            REMOVED,
                                            new BsonString("$fullDocument"))),
                            RawBsonDocument.class)
                    .batchSize(most)
                    .maxAwaitTime(WAIT_MILLIS, TimeUnit.MILLISECONDS);
            if (hook.withDocument()) {
                stream.fullDocument(FullDocument.UPDATE_LOOKUP);
            }
            return start.apply(stream).cursor();
        }

        private static Bson set(String field, BsonValue condition, BsonValue then, BsonValue otherwise) {
            var value = new BsonDocument("$cond", new BsonArray(List.of(condition, then, otherwise)));
            return new BsonDocument("$set", new BsonDocument(field, value));
        }

        /// What has changed and is fetched together, by document, in order.
        private Map<BsonDocument, List<Event>> batch(
                MongoChangeStreamCursor<ChangeStreamDocument<RawBsonDocument>> changes) {
            var batch = new LinkedHashMap<BsonDocument, List<Event>>();
            int bytes = 0;
            int count = 0;
            @Nullable BsonDocument before = changes.getResumeToken();
            @Nullable ChangeStreamDocument<RawBsonDocument> change;
            while (bytes < LARGE && (count == 0 || changes.available() > 0) && (change = changes.tryNext()) != null) {
                var size = size(change);
                var event = size.isEmpty() ? small(change) : large(change, before, size.getAsInt());
                batch.computeIfAbsent(event.key(), _ -> new ArrayList<>()).add(event);
                bytes += event.size();
                count++;
                before = changes.getResumeToken();
            }
            return batch;
        }

        private Event small(ChangeStreamDocument<RawBsonDocument> change) {
            var content = Optional.of(content(change).toJson().getBytes(StandardCharsets.UTF_8));
            return event(change, content.get().length, _ -> content);
        }

        /// The bytes of the document of a change that comes without it, since it is large.
        private static OptionalInt size(ChangeStreamDocument<RawBsonDocument> change) {
            var more = change.getExtraElements();
            return more == null || !more.containsKey(SIZE)
                    ? OptionalInt.empty()
                    : OptionalInt.of(more.getNumber(SIZE).intValue());
        }

        /// @param before the token of the change before; null for the first one of a stream without a token
        private Event large(ChangeStreamDocument<RawBsonDocument> change, @Nullable BsonDocument before, int size) {
            var time = Objects.requireNonNull(change.getClusterTime());
            return event(
                    change,
                    0,
                    memory -> readAgain(
                            stream -> before == null ? stream.startAtOperationTime(time) : stream.startAfter(before),
                            size,
                            memory));
        }

        /// @param size bytes of the document when its change was read: it may have grown since
        private Optional<byte[]> readAgain(
                UnaryOperator<ChangeStreamIterable<RawBsonDocument>> start, int size, Lease memory)
                throws InterruptedException {
            await(memory, (long) COPIES * size);
            OptionalInt grown;
            try (var changes = open(start, size, 1)) {
                var change = changes.next();
                grown = size(change);
                if (grown.isEmpty()) {
                    var json = new Json(content(change)).bytes(LARGEST_JSON);
                    memory.correct(
                            (long) COPIES * size,
                            json.map(bytes -> 2L * bytes.length).orElse(0L));
                    return json;
                }
            }
            memory.correct((long) COPIES * size, 0);
            return readAgain(start, grown.getAsInt(), memory);
        }

        /// Waits for memory in turn with all others who do, for as long as it takes.
        private void await(Lease memory, long bytes) throws InterruptedException {
            if (memory.tryHold(bytes)) {
                return;
            }
            if (saysThatItWaits.getAndSet(false)) {
                LOG.warn("{} waits for memory: a change needs {} MiB of it", hook, bytes >> 20);
            }
            boolean isThere = false;
            while (!isThere) {
                meters.count("waits_for_memory", "hook", hook.name()); // each time, so that one without end is seen
                try {
                    memory.await(bytes);
                    isThere = true;
                } catch (ProblemException _) { // after a while, or since very many wait
                    Thread.sleep(WAIT_MILLIS);
                }
            }
        }

        private Event event(ChangeStreamDocument<RawBsonDocument> change, int size, Content content) {
            return new Event(
                    id(change),
                    Objects.requireNonNull(change.getOperationTypeString()),
                    Objects.requireNonNull(change.getDocumentKey()),
                    size,
                    content);
        }

        private String id(ChangeStreamDocument<RawBsonDocument> change) {
            return digest(hook.name() + " " + hook.collection() + " "
                    + change.getResumeToken().toJson());
        }

        private BsonDocument content(ChangeStreamDocument<RawBsonDocument> change) {
            var type = Objects.requireNonNull(change.getOperationTypeString());
            var json = new BsonDocument("id", new BsonString(id(change)))
                    .append("type", new BsonString(type))
                    .append(
                            "collection",
                            new BsonString(hook.collection().getFullName().replaceFirst("\\.", "/")))
                    .append("key", Objects.requireNonNull(change.getDocumentKey()));
            if (change.getClusterTime() != null) {
                json.append("at", new BsonDateTime(change.getClusterTime().getTime() * 1000L));
            }
            if (change.getFullDocument() != null && hook.withDocument()) {
                json.append("document", change.getFullDocument());
            }
            return json;
        }

        private static String digest(String text) {
            try {
                var digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
                return Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
        }

        /// Returns when each change is taken, or kept as failed.
        private void send(Map<BsonDocument, List<Event>> batch) throws InterruptedException {
            var places = new Semaphore(hook.parallel());
            var pool = Executors.newThreadPerTaskExecutor(
                    Thread.ofVirtual().name("plugin webhooks").factory());
            try {
                for (var events : batch.values().stream()
                        .map(events -> pool.submit(() -> send(events, places)))
                        .toList()) {
                    await(events);
                }
            } finally {
                pool.shutdownNow();
            }
        }

        private void await(Future<?> events) throws InterruptedException {
            boolean isSent = false;
            while (!isSent) {
                try {
                    events.get(Math.max(1, renewal - System.nanoTime()), TimeUnit.NANOSECONDS);
                    isSent = true;
                } catch (TimeoutException _) {
                    // the lease is due
                } catch (ExecutionException e) {
                    throw new IllegalStateException("changes were not sent", e.getCause());
                }
                if (isDue() && !prolong(null)) {
                    throw new IllegalStateException("another gateway follows " + hook);
                }
            }
        }

        /// The changes of one document. Those after one that was given up are tried once, so that a
        /// document that is never taken holds back the others no longer than a change does.
        private boolean send(List<Event> events, Semaphore places) throws InterruptedException {
            places.acquire();
            try {
                int attempts = hook.attempts();
                for (var event : events) {
                    boolean isTaken = hook.send(event, attempts, this::keep);
                    attempts = isTaken ? hook.attempts() : 1;
                }
                return true;
            } finally {
                places.release();
            }
        }
    }

    /// The JSON of a large document, of which there is nothing but its bytes: it is written twice, once
    /// to be measured.
    private record Json(BsonDocument document) {
        private static final JsonWriterSettings RELAXED =
                JsonWriterSettings.builder().outputMode(JsonMode.RELAXED).build();

        /// @return empty if there are more
        Optional<byte[]> bytes(int most) {
            int length = write(new byte[0]);
            if (length > most) {
                return Optional.empty();
            }
            var bytes = new byte[length];
            write(bytes);
            return Optional.of(bytes);
        }

        private int write(byte[] bytes) {
            var counted = new Counted(bytes);
            try (var writer = new OutputStreamWriter(counted, StandardCharsets.UTF_8)) {
                new BsonDocumentCodec()
                        .encode(
                                new JsonWriter(writer, RELAXED),
                                document,
                                EncoderContext.builder().build());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return counted.count;
        }

        /// Takes as many bytes as there is room for, and counts all.
        private static final class Counted extends OutputStream {
            private final byte[] bytes;
            private int count;

            Counted(byte[] bytes) {
                this.bytes = bytes;
            }

            @Override
            public void write(int next) {
                write(new byte[] {(byte) next}, 0, 1);
            }

            @Override
            public void write(byte[] from, int offset, int length) {
                System.arraycopy(from, offset, bytes, Math.min(count, bytes.length), Math.min(length, bytes.length));
                count += length;
            }
        }
    }
}
