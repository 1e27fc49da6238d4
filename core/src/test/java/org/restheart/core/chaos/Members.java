package org.restheart.core.chaos;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;
import org.restheart.testkit.OwnMongod;

/// A replica set whose members are reached, by gateways and by each other, through a [FaultyProxy] each.
public final class Members implements AutoCloseable {
    private final List<Member> members = new ArrayList<>();
    private final Options options;

    /// @param oplogMegabytes of each member
    /// @param resizableDisk whether the first member's disk can be filled ([ResizableDisk])
    record Options(int oplogMegabytes, boolean resizableDisk) {
        static final Options USUAL = new Options(256, false);
    }

    private Members(Options options) {
        this.options = options;
    }

    /// One `mongod`.
    final class Member {
        private final OwnMongod mongod;
        private final FaultyProxy proxy;
        private final @Nullable ResizableDisk disk;

        private Member(Path data, boolean resizableDisk) throws IOException {
            this.disk = resizableDisk ? ResizableDisk.at(data) : null;
            if (!resizableDisk) {
                Files.createDirectory(data);
            }
            this.mongod = OwnMongod.launch(
                    data,
                    "--replSet",
                    "chaos",
                    "--oplogSize",
                    "" + options.oplogMegabytes(),
                    "--slowms",
                    "5000",
                    "--setParameter",
                    "transactionLifetimeLimitSeconds=15");
            this.proxy = new FaultyProxy(List.of(mongod.port()));
        }

        FaultyProxy proxy() {
            return proxy;
        }

        void kill() {
            mongod.close();
        }

        ResizableDisk disk() {
            return Objects.requireNonNull(disk, "a member with a small disk");
        }

        /// Waits until it ends by itself.
        ///
        /// @return the status of its process, with 128 and the signal's number after a signal
        int awaitEnd(Duration atMost) throws InterruptedException {
            if (!mongod.process().waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException("mongod goes on");
            }
            return mongod.process().exitValue();
        }

        void restart() throws IOException {
            mongod.restart();
        }

        /// @param name `STOP` or `CONT`
        void signal(String name) throws IOException, InterruptedException {
            mongod.signal(name);
        }
    }

    public static Members start(int count, Path folder) throws IOException {
        return start(count, folder, Options.USUAL);
    }

    static Members start(int count, Path folder, Options options) throws IOException {
        var set = new Members(options);
        try {
            for (int i = 0; i < count; i++) {
                set.members.add(set.new Member(folder.resolve("member" + i), options.resizableDisk() && i == 0));
            }
            set.initiate();
        } catch (IOException | RuntimeException e) {
            set.close();
            throw e;
        }
        return set;
    }

    private void initiate() {
        var hosts = new BsonArray();
        members.forEach(member -> hosts.add(new BsonDocument("_id", new BsonInt32(hosts.size()))
                .append("host", new BsonString("127.0.0.1:" + member.proxy.port()))));
        var config = BsonDocument.parse("{_id: 'chaos', settings: {electionTimeoutMillis: 5000}}")
                .append("members", hosts);
        members.forEach(member -> ask(member, new BsonDocument("ping", new BsonInt32(1))));
        ask(members.getFirst(), new BsonDocument("replSetInitiate", config));
        try (var client = MongoClients.create(connectionString())) {
            Awaitility.await().ignoreExceptions().until(() -> healthy(client) == members.size());
        }
    }

    /// Sends a command to this member, whatever its state.
    static void ask(Member member, BsonDocument command) {
        var uri = "mongodb://127.0.0.1:" + member.mongod.port()
                + "/?directConnection=true&serverSelectionTimeoutMS=40000";
        try (var client = MongoClients.create(uri)) {
            client.getDatabase("admin").runCommand(command);
        }
    }

    private static long healthy(MongoClient client) {
        return client
                .getDatabase("admin")
                .runCommand(new BsonDocument("replSetGetStatus", new BsonInt32(1)), BsonDocument.class)
                .getArray("members")
                .stream()
                .map(member -> member.asDocument().getInt32("state").getValue())
                .filter(state -> state == 1 || state == 2)
                .count();
    }

    void awaitHealthy(MongoClient client) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(3))
                .ignoreExceptions()
                .until(() -> healthy(client) == members.size());
    }

    public String connectionString() {
        return "mongodb://"
                + members.stream()
                        .map(member -> "127.0.0.1:" + member.proxy.port())
                        .collect(Collectors.joining(","))
                + "/?replicaSet=chaos";
    }

    List<Member> all() {
        return members;
    }

    Member primary(MongoClient client) {
        var hello =
                client.getDatabase("admin").runCommand(new BsonDocument("hello", new BsonInt32(1)), BsonDocument.class);
        var name = hello.getString("primary").getValue();
        int port = Integer.parseInt(name.substring(name.indexOf(':') + 1));
        return members.stream()
                .filter(member -> member.proxy.port() == port)
                .findFirst()
                .orElseThrow();
    }

    /// Waits until this member is the primary.
    void makePrimary(Member member, MongoClient client) {
        Awaitility.await()
                .pollInterval(Duration.ofMillis(500))
                .ignoreExceptions()
                .until(() -> {
                    if (primary(client) != member) {
                        ask(member, new BsonDocument("replSetStepUp", new BsonInt32(1)));
                    }
                    return primary(client) == member;
                });
    }

    public void stepDown(MongoClient client) {
        try {
            client.getDatabase("admin").runCommand(BsonDocument.parse("{replSetStepDown: 10, force: true}"));
        } catch (MongoException _) {
            // its connections may be closed
        }
    }

    @Override
    public void close() throws IOException {
        for (var member : members) {
            member.kill();
            member.proxy.close();
            if (member.disk != null) {
                member.disk.close();
            }
        }
    }
}
