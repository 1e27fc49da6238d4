package org.restheart.rest.changestream;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoNamespace;
import com.mongodb.client.ChangeStreamIterable;
import com.mongodb.client.MongoClient;
import com.mongodb.client.model.Collation;
import com.mongodb.client.model.changestream.FullDocument;
import com.mongodb.client.model.changestream.FullDocumentBeforeChange;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.jspecify.annotations.Nullable;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.push.Ending;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.background.ChangeCursor.Change;
import org.restheart.mongo.background.ChangeFollower;
import org.restheart.mongo.background.ChangeFollower.FollowFailure;
import org.restheart.mongo.background.ChangeSource;
import org.restheart.mongo.find.LargeReplies;
import org.restheart.rest.changestream.ChangeStreams.CursorLimit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One MongoDB change stream and its listeners. Opened for the first listener, closed after the last. One thread
/// follows the stream and delivers each event to every listener, in order. Thread-safe.
final class SharedStream implements ChangeFollower.Receiver {
    private static final Logger LOG = LoggerFactory.getLogger(SharedStream.class);

    private final StreamKey key;
    private final BackgroundTasks tasks;
    private final MongoClient client;
    private final StreamMeters meters;
    private final Supplier<CursorLimit.Place> place;
    private final Consumer<SharedStream> onClosed;
    private final Sharers sharers = new Sharers();
    private final Set<Listener> listeners = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Void> opened = new CompletableFuture<>();

    @GuardedBy("this")
    private @Nullable BsonDocument position;

    @GuardedBy("this")
    private boolean closed;

    /// @param place acquires that of the cursor
    /// @param onClosed called once no listener can join any more
    SharedStream(
            StreamKey key,
            BackgroundTasks tasks,
            MongoClient client,
            StreamMeters meters,
            Supplier<CursorLimit.Place> place,
            Consumer<SharedStream> onClosed) {
        this.key = key;
        this.tasks = tasks;
        this.client = client;
        this.meters = meters;
        this.place = place;
        this.onClosed = onClosed;
    }

    StreamKey key() {
        return key;
    }

    void start() {
        tasks.start("stream-" + key.namespace(), this::run);
    }

    private void run() {
        var ending = Ending.FAILED;
        try {
            sharers.hold(place.get());
            var follower = new ChangeFollower(tasks, client, key.in(client), this);
            ending = switch (LargeReplies.owned(follower::follow)) {
                case GONE -> Ending.COLLECTION_GONE;
                case NOT_WANTED -> Ending.SHUTDOWN;
                case FAILED -> Ending.FAILED;
            };
        } catch (MongoException e) {
            opened.completeExceptionally(refusal(e, false));
        } catch (RuntimeException e) { // otherwise listeners would wait without end
            if (!opened.completeExceptionally(e)) {
                LOG.error("following {} failed", key.namespace(), e);
            }
        } finally {
            sharers.close();
            end(ending);
        }
    }

    /// The error of a stream that cannot be opened: the failure itself if the client did not cause it.
    static RuntimeException refusal(MongoException failure, boolean resuming) {
        return switch (FollowFailure.of(failure)) {
            case UNAVAILABLE -> new ProblemException(ProblemCode.METHOD_NOT_ALLOWED, "method GET not allowed");
            case UNAUTHORIZED, FOR_NOW -> failure;
            case HISTORY_LOST ->
                new ProblemException(ProblemCode.HISTORY_LOST, "Cannot resume change stream: its history is lost");
            case BAD_TOKEN, ONE_EVENT -> {
                var text = failure instanceof MongoCommandException command
                        ? command.getErrorMessage()
                        : String.valueOf(failure.getMessage());
                var what = resuming ? "Cannot resume change stream: " : "Cannot open change stream: ";
                yield new ProblemException(ProblemCode.QUERY_INVALID, what + text);
            }
        };
    }

    /// Adds a listener, unless the stream is about to close.
    ///
    /// @param caller whose listener it is; [#leave] is to be called
    /// @param holding whether its messages are queued until [#release]
    synchronized boolean join(Listener listener, String caller, boolean holding) {
        if (closed) {
            return false;
        }
        sharers.joined(caller);
        if (holding) {
            listener.hold();
        }
        listeners.add(listener);
        return true;
    }

    /// @throws org.restheart.http.ProblemException why there is none
    void awaitOpen() {
        try {
            opened.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    /// The listener gets no more events. Never blocks.
    void stopDelivery(Listener listener) {
        listeners.remove(listener);
    }

    /// The listener is gone. Once for each that has joined. Never blocks.
    void leave(Listener listener, String caller) {
        listeners.remove(listener);
        sharers.left(caller);
    }

    boolean has(Listener listener) {
        return listeners.contains(listener);
    }

    /// The position; null until it is known.
    synchronized @Nullable BsonDocument position() {
        return position;
    }

    /// The token up to which every event is in the listener's backlog; empty until that is known.
    synchronized Optional<String> position(Listener listener) {
        return Optional.ofNullable(position).flatMap(listener::positionOf);
    }

    /// Continues the listener, which has received all events up to `token`, with the shared stream.
    ///
    /// @return the position that it has to reach before; empty if it has reached it
    synchronized Optional<BsonDocument> release(Listener listener, BsonDocument token) {
        var ahead = listener.ahead(token);
        if (ahead.isEmpty() && !listener.release(token, meters)) {
            listeners.remove(listener);
        }
        return ahead;
    }

    /// Closes the connections of listeners whose definition is not in these properties any more.
    synchronized void keepDefinedBy(BsonDocument properties) {
        listeners.removeIf(listener -> {
            boolean defined = listener.isDefinedBy(properties);
            if (!defined) {
                listener.backlog().end(Ending.REDEFINED);
            }
            return !defined;
        });
    }

    @Override
    public void opened() {
        opened.complete(null);
    }

    @Override
    public synchronized void received(Change change) {
        var event = new Event(change);
        position = event.token();
        meters.received();
        listeners.removeIf(listener -> !listener.accept(event, meters));
    }

    @Override
    public synchronized void reached(BsonDocument token) {
        position = token;
    }

    @Override
    public synchronized boolean isWanted() {
        closed = closed || listeners.isEmpty();
        if (closed) {
            onClosed.accept(this);
        }
        return !closed;
    }

    /// Refuses further listeners and ends all connections.
    synchronized void end(Ending ending) {
        closed = true;
        onClosed.accept(this);
        listeners.forEach(listener -> listener.backlog().end(ending));
        listeners.clear();
    }

    /// The callers whose listeners share a cursor, with the number of their listeners. The cursor counts for one of
    /// them: for the one on whose behalf it was opened, and once that one has left, for the one that has listened
    /// longest. So no account is charged for a cursor that only others use. Thread-safe; never blocks for long.
    private static final class Sharers {
        @GuardedBy("this")
        private final Map<String, Integer> listeners = new LinkedHashMap<>();

        @GuardedBy("this")
        private CursorLimit.@Nullable Place place;

        synchronized void joined(String caller) {
            listeners.merge(caller, 1, Integer::sum);
        }

        synchronized void left(String caller) {
            listeners.computeIfPresent(caller, (_, count) -> count == 1 ? null : count - 1);
            settle();
        }

        /// The cursor's place was acquired; [#close()] gives it back.
        synchronized void hold(CursorLimit.Place acquired) {
            place = acquired;
            settle();
        }

        @GuardedBy("this")
        private void settle() {
            if (place != null && !listeners.isEmpty() && !listeners.containsKey(place.owner())) {
                place.passTo(listeners.keySet().iterator().next());
            }
        }

        /// Gives the place back, if there is one.
        synchronized void close() {
            if (place != null) {
                place.close();
                place = null;
            }
        }
    }

    /// The key of a shared MongoDB cursor: listeners with equal keys share it.
    ///
    /// @param pipeline after variables were replaced; as text, since the order of keys counts and their types do
    /// @param collation of the pipeline, which has none of its own; empty for the binary one
    record StreamKey(
            MongoNamespace namespace,
            String pipeline,
            Optional<Collation> collation,
            FullDocument fullDocument,
            FullDocumentBeforeChange beforeChange) {
        private static final JsonWriterSettings EVERY_TYPE =
                JsonWriterSettings.builder().outputMode(JsonMode.EXTENDED).build();

        static StreamKey of(
                MongoNamespace namespace,
                List<BsonDocument> pipeline,
                Optional<Collation> collation,
                StreamDefinition definition) {
            var text = new BsonDocument("pipeline", new BsonArray(pipeline)).toJson(EVERY_TYPE);
            return new StreamKey(namespace, text, collation, definition.fullDocument(), definition.beforeChange());
        }

        ChangeSource in(MongoClient client) {
            return new ChangeSource() {
                @Override
                public String name() {
                    return namespace.getFullName();
                }

                @Override
                public List<BsonDocument> pipeline() {
                    return stages();
                }

                @Override
                public ChangeStreamIterable<RawBsonDocument> watch(List<BsonDocument> stages) {
                    return client.getDatabase(namespace.getDatabaseName())
                            .getCollection(namespace.getCollectionName())
                            .watch(stages, RawBsonDocument.class);
                }

                @Override
                public ChangeStreamIterable<RawBsonDocument> withOptions(ChangeStreamIterable<RawBsonDocument> stream) {
                    collation.ifPresent(stream::collation);
                    return stream.fullDocument(fullDocument).fullDocumentBeforeChange(beforeChange);
                }
            };
        }

        private List<BsonDocument> stages() {
            return BsonDocument.parse(pipeline).getArray("pipeline").stream()
                    .map(BsonValue::asDocument)
                    .toList();
        }
    }
}
