package org.restheart.rest.changestream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoNamespace;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.Document;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.restheart.bson.JsonMode;
import org.restheart.http.Method;
import org.restheart.http.push.Backlog;
import org.restheart.http.push.Frame;
import org.restheart.http.push.Transport;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.background.ChangeCursor;
import org.restheart.mongo.background.ChangeCursor.Change;
import org.restheart.mongo.background.ChangeSource.Start;
import org.restheart.rest.DataApi;
import org.restheart.rest.changestream.ChangeStreams.CatchUp;
import org.restheart.rest.changestream.ChangeStreams.CursorLimit;
import org.restheart.rest.changestream.SharedStream.StreamKey;
import org.restheart.rest.changestream.StreamDefinition.MalformedStream;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.TestRequests;
import org.restheart.testkit.WithMongo;

@NullMarked
@WithMongo
@Timeout(180)
class ChangeStreamsTest {
    private final TestMongo mongo;
    private final StreamDefinition definition;

    ChangeStreamsTest(TestMongo mongo) throws MalformedStream {
        this.mongo = mongo;
        this.definition = StreamDefinition.parse(BsonDocument.parse("{uri: 'all', stages: []}"));
    }

    private static ChangeStreams streams(BackgroundTasks tasks, MongoClient client) {
        return new ChangeStreams(tasks, client, DataApi.STREAMS, new SimpleMeterRegistry(), Reauthorization.ALWAYS);
    }

    private Backlog listen(ChangeStreams streams, Predicate<BsonDocument> filter) {
        var backlog = new Backlog(1_000, 1 << 20);
        var listener = new Listener(
                definition, Transport.SSE, new Event.Form(JsonMode.DEFAULT, false, Optional.empty()), filter, backlog);
        streams.subscribe(
                StreamKey.of(
                        new MongoNamespace(mongo.databaseName(), "behind"), List.of(), Optional.empty(), definition),
                listener,
                TestRequests.request(Method.GET, "/behind/_streams/all"),
                Optional.empty(),
                Optional.empty());
        return backlog;
    }

    private static String text(@Nullable Frame frame) {
        return StandardCharsets.UTF_8
                .decode(Objects.requireNonNull(frame).bytes().duplicate())
                .toString();
    }

    /// They share its cursor, and the thread that follows it may have much to deliver that was written before.
    @Test
    void who_joins_a_stream_that_is_behind_receives_what_is_written_from_then_on() throws Exception {
        var collection = mongo.database().getCollection("behind");
        try (var tasks = new BackgroundTasks();
                var streams = streams(tasks, mongo.client())) {
            var held = new CompletableFuture<Void>();
            var released = new CompletableFuture<Void>();
            listen(streams, _ -> {
                held.complete(null);
                released.join();
                return true;
            });
            collection.insertOne(new Document("n", 1));
            held.join();
            collection.insertMany(IntStream.rangeClosed(2, 500)
                    .mapToObj(n -> new Document("n", n))
                    .toList());
            var joined = new AtomicReference<Backlog>();
            var joining = Thread.ofPlatform().start(() -> joined.set(listen(streams, _ -> true)));
            await().until(() -> joining.getState() == Thread.State.BLOCKED); // by the delivery of the first event
            released.complete(null);
            joining.join();
            collection.insertOne(new Document("n", 501));
            var first = new AtomicReference<Frame>();
            await().until(() -> {
                first.set(joined.get().take());
                return first.get() != null;
            });
            assertThat(text(first.get())).contains("\"n\": 501");
        }
    }

    /// A shared stream delivers as fast as it reads what it has missed itself, which would be too much for a queue.
    @Test
    void who_catches_up_does_not_go_on_with_a_stream_that_is_behind() throws Exception {
        int missed = 300;
        var collection = mongo.database().getCollection("missed");
        var key = StreamKey.of(
                new MongoNamespace(mongo.databaseName(), "missed"), List.of(), Optional.empty(), definition);
        var before = Start.now(mongo.client());
        collection.insertMany(IntStream.rangeClosed(1, missed)
                .mapToObj(n -> new Document("n", n))
                .toList());
        var changes = changes(key, before, missed);
        var meters = new StreamMeters(new SimpleMeterRegistry());
        var cursors = new CursorLimit(10, 10, meters);
        var backlog = new Backlog(50, 1 << 20);
        var listener = new Listener(
                definition,
                Transport.SSE,
                new Event.Form(JsonMode.DEFAULT, false, Optional.empty()),
                _ -> true,
                backlog);
        try (var tasks = new BackgroundTasks()) {
            var behind = new SharedStream(key, tasks, mongo.client(), meters, () -> cursors.acquire("a"), _ -> {});
            behind.join(listener, "a", true);
            behind.reached(oldToken(changes.getFirst()));
            new CatchUp(tasks, mongo.client(), cursors, meters).start("a", behind, listener, before);
            var told = new ArrayList<String>();
            takeUntil(told, backlog, missed / 3); // by its own cursor
            changes.forEach(behind::received);
            takeUntil(told, backlog, missed);
            collection.insertOne(new Document("n", missed + 1));
            behind.received(
                    changes(key, new Start.After(changes.getLast().token()), 1).getFirst());
            takeUntil(told, backlog, missed + 1);
            for (int n = 1; n <= missed + 1; n++) {
                assertThat(told.get(n - 1)).contains("\"n\": " + n + "}");
            }
            behind.stopDelivery(listener);
        }
    }

    private List<Change> changes(StreamKey key, Start from, int number) {
        var changes = new ArrayList<Change>();
        try (var cursor = ChangeCursor.open(key.in(mongo.client()), from)) {
            while (changes.size() < number) {
                changes.add(Objects.requireNonNull(cursor.next()));
            }
        }
        return changes;
    }

    /// The position of a stream that is a minute behind.
    private static BsonDocument oldToken(Change change) {
        var data = change.token().getString("_data").getValue();
        int seconds = Integer.parseUnsignedInt(data, 2, 10, 16) - 60;
        return new BsonDocument("_data", new BsonString("82%08X".formatted(seconds) + data.substring(10)));
    }

    private static void takeUntil(List<String> told, Backlog backlog, int number) {
        await().pollInterval(Duration.ofMillis(1)).until(() -> {
            while (told.size() < number) {
                var frame = backlog.take();
                if (frame == null) {
                    break;
                }
                told.add(text(frame));
            }
            return told.size() >= number || backlog.hasEnded();
        });
        assertThat(told).hasSize(number);
    }

    @Test
    void listeners_to_the_same_share_a_cursor_and_each_costs_a_ping() {
        var commands = new ConcurrentLinkedQueue<String>();
        var settings = MongoClientSettings.builder()
                .applyConnectionString(new ConnectionString(mongo.connectionString()))
                .addCommandListener(new CommandListener() {
                    @Override
                    public void commandStarted(CommandStartedEvent event) {
                        commands.add(event.getCommandName());
                    }
                });
        try (var client = MongoClients.create(settings.build());
                var tasks = new BackgroundTasks();
                var streams = streams(tasks, client)) {
            for (int i = 0; i < 10; i++) {
                listen(streams, _ -> true);
            }
            assertThat(commands.stream().filter("aggregate"::equals)).hasSize(1);
            assertThat(commands.stream().filter("ping"::equals)).hasSize(10);
        }
    }
}
