package org.restheart.mongo.changestream;

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
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
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
import org.restheart.mongo.changestream.SharedStream.StreamKey;
import org.restheart.mongo.changestream.StreamDefinition.MalformedStream;
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
        return new ChangeStreams(
                tasks, client, ChangeStreamConfig.DEFAULT, new SimpleMeterRegistry(), Reauthorization.ALWAYS);
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
