package org.restheart.webhooks;

import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoChangeStreamCursor;
import com.mongodb.client.MongoClient;
import com.mongodb.client.model.Aggregates;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.changestream.ChangeStreamDocument;
import com.mongodb.client.model.changestream.FullDocument;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;
import org.restheart.webhooks.Hook.Event;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Follows the collection of one hook, and sends its changes in batches: those of one document in their order, those of
/// several at a time. How far it is is stored when a batch is done, so a change may be sent again, but none is left
/// out.
final class HookFollower {
    private static final Logger LOG = LoggerFactory.getLogger(HookFollower.class);
    private static final int MOST_CHANGES = 100;

    /// Characters of JSON, from which on no more changes are added to a batch.
    private static final int LARGE = 4 << 20;

    private static final long WAIT_MILLIS = 500;
    private static final int HISTORY_LOST = 286;

    private final Hook hook;
    private final MongoClient mongo;
    private final HookStore store;

    HookFollower(Hook hook, MongoClient mongo, HookStore store) {
        this.hook = hook;
        this.mongo = mongo;
        this.store = store;
    }

    /// Follows as long as this gateway is the one that does, and is not stopped.
    void follow() throws InterruptedException {
        store.create();
        var state = store.lease(null);
        if (state.isEmpty()) {
            return;
        }
        try (var changes = open(state.get().getDocument("token", new BsonDocument()))) {
            do {
                send(batch(changes));
            } while (store.lease(changes.getResumeToken()).isPresent());
        } catch (MongoCommandException e) {
            if (e.getErrorCode() == HISTORY_LOST) {
                LOG.error("{} missed changes, which MongoDB does not have any more: it goes on with new ones", hook);
                store.forget();
            }
            throw e;
        } finally {
            boolean isStopped = Thread.interrupted(); // the driver does nothing in an interrupted thread
            store.release();
            if (isStopped) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private MongoChangeStreamCursor<ChangeStreamDocument<BsonDocument>> open(BsonDocument token) {
        var stream = mongo.getDatabase(hook.collection().getDatabaseName())
                .getCollection(hook.collection().getCollectionName(), BsonDocument.class)
                .watch(List.of(Aggregates.match(Filters.in("operationType", hook.on()))))
                .maxAwaitTime(WAIT_MILLIS, TimeUnit.MILLISECONDS);
        if (hook.withDocument()) {
            stream.fullDocument(FullDocument.UPDATE_LOOKUP);
        }
        return (token.isEmpty() ? stream : stream.startAfter(token)).cursor();
    }

    /// What has changed, by document, in order.
    private Map<BsonDocument, List<Event>> batch(MongoChangeStreamCursor<ChangeStreamDocument<BsonDocument>> changes) {
        var batch = new LinkedHashMap<BsonDocument, List<Event>>();
        int characters = 0;
        int count = 0;
        @Nullable ChangeStreamDocument<BsonDocument> change;
        while (count < MOST_CHANGES && characters < LARGE && (change = changes.tryNext()) != null) {
            var event = event(change);
            batch.computeIfAbsent(Objects.requireNonNull(change.getDocumentKey()), _ -> new ArrayList<>())
                    .add(event);
            characters += event.json().length();
            count++;
        }
        return batch;
    }

    private Event event(ChangeStreamDocument<BsonDocument> change) {
        var id = digest(hook.collection() + " " + change.getResumeToken().toJson());
        var json = new BsonDocument("id", new BsonString(id))
                .append("type", new BsonString(change.getOperationTypeString()))
                .append(
                        "collection",
                        new BsonString(hook.collection().getFullName().replaceFirst("\\.", "/")))
                .append("key", change.getDocumentKey());
        if (change.getClusterTime() != null) {
            json.append("at", new BsonDateTime(change.getClusterTime().getTime() * 1000L));
        }
        if (change.getFullDocument() != null && hook.withDocument()) {
            json.append("document", change.getFullDocument());
        }
        return new Event(id, json.toJson());
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
        while (true) {
            try {
                events.get(HookStore.LEASE.toMillis() / 3, TimeUnit.MILLISECONDS);
                return;
            } catch (TimeoutException _) {
                if (store.lease(null).isEmpty()) {
                    throw new IllegalStateException("another gateway follows " + hook);
                }
            } catch (ExecutionException e) {
                throw new IllegalStateException("changes were not sent", e.getCause());
            }
        }
    }

    /// The changes of one document.
    private boolean send(List<Event> events, Semaphore places) throws InterruptedException {
        places.acquire();
        try {
            for (var event : events) {
                var why = hook.send(event);
                if (why.isPresent()) {
                    store.fail(event, why.get());
                    LOG.warn("{} has given up a change, which is kept: {}", hook, why.get());
                }
            }
            return true;
        } finally {
            places.release();
        }
    }
}
