package org.restheart.core.streams;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.restheart.testkit.OwnMongod;

/// A deployment of a test's own, of members on free ports that elect a new primary within seconds and do what test
/// commands ask.
final class OwnReplicaSet implements AutoCloseable {
    private final Map<Integer, OwnMongod> members = new HashMap<>();

    static OwnReplicaSet start(int members, Path folder) throws IOException {
        var set = new OwnReplicaSet();
        try {
            for (int i = 0; i < members; i++) {
                set.startMember(Files.createDirectory(folder.resolve("member" + i)));
            }
            set.initiate();
        } catch (IOException | RuntimeException e) {
            set.close();
            throw e;
        }
        return set;
    }

    private void startMember(Path data) throws IOException {
        var member = OwnMongod.launch(
                data, "--replSet", "own", "--oplogSize", "64", "--setParameter", "enableTestCommands=1");
        members.put(member.port(), member);
    }

    private void initiate() {
        var hosts = new BsonArray();
        members.keySet()
                .forEach(port -> hosts.add(new BsonDocument("_id", new BsonInt32(hosts.size()))
                        .append("host", new BsonString("127.0.0.1:" + port))));
        var config = BsonDocument.parse("{_id: 'own', settings: {electionTimeoutMillis: 2000}}")
                .append("members", hosts);
        // all of them have to answer before one of them asks
        members.keySet().forEach(port -> ask(port, new BsonDocument("ping", new BsonInt32(1))));
        ask(members.keySet().iterator().next(), new BsonDocument("replSetInitiate", config));
        try (var client = MongoClients.create(connectionString())) {
            Awaitility.await().until(() -> healthy(client) == members.size());
        }
    }

    private static void ask(int port, BsonDocument command) {
        var member = "mongodb://127.0.0.1:" + port + "/?directConnection=true&serverSelectionTimeoutMS=90000";
        try (var client = MongoClients.create(member)) {
            client.getDatabase("admin").runCommand(command);
        }
    }

    private static long healthy(MongoClient client) {
        var status = client.getDatabase("admin")
                .runCommand(new BsonDocument("replSetGetStatus", new BsonInt32(1)), BsonDocument.class);
        return status.getArray("members").stream()
                .map(member -> member.asDocument().getInt32("state").getValue())
                .filter(state -> state == 1 || state == 2)
                .count();
    }

    String connectionString() {
        return "mongodb://"
                + members.keySet().stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","))
                + "/?replicaSet=own&w=majority";
    }

    /// Ends the primary as a crash would.
    void killPrimary(MongoClient client) {
        primary(client).close();
    }

    /// Stops the primary where it stands: its sockets stay open, and nothing answers.
    void freezePrimary(MongoClient client) throws IOException, InterruptedException {
        primary(client).signal("STOP");
    }

    /// Keeps all other members from replicating, while they go on to vote for the primary.
    void stopReplication(MongoClient client) {
        var primary = primary(client);
        members.forEach((port, member) -> {
            if (member != primary) {
                ask(port, replication("alwaysOn"));
            }
        });
    }

    void resumeReplication() {
        members.keySet().forEach(port -> ask(port, replication("off")));
    }

    private static BsonDocument replication(String mode) {
        return new BsonDocument("configureFailPoint", new BsonString("stopReplProducer"))
                .append("mode", new BsonString(mode));
    }

    private OwnMongod primary(MongoClient client) {
        var hello =
                client.getDatabase("admin").runCommand(new BsonDocument("hello", new BsonInt32(1)), BsonDocument.class);
        var primary = hello.getString("primary").getValue();
        return Objects.requireNonNull(members.get(Integer.parseInt(primary.substring(primary.indexOf(':') + 1))));
    }

    /// Makes the next so many of these commands on this collection fail with this code; 0 for none any more.
    static void fail(MongoClient client, String namespace, String command, int code, int times) {
        failCommand(client, times, command, "namespace: '" + namespace + "', errorCode: " + code);
    }

    /// The same, on any collection.
    static void fail(MongoClient client, String command, int code, int times) {
        failCommand(client, times, command, "errorCode: " + code);
    }

    /// Has the next such command on this collection done, but not confirmed by a majority.
    static void leaveUnconfirmed(MongoClient client, String namespace, String command) {
        var error = "{code: 64, errmsg: 'waiting for replication timed out'}";
        failCommand(client, 1, command, "namespace: '" + namespace + "', writeConcernError: " + error);
    }

    /// Makes the next so many of these commands on this collection break their connection.
    static void breakConnection(MongoClient client, String namespace, String command, int times) {
        failCommand(client, times, command, "namespace: '" + namespace + "', closeConnection: true");
    }

    /// The same, on any collection.
    static void breakConnection(MongoClient client, String command, int times) {
        failCommand(client, times, command, "closeConnection: true");
    }

    /// Makes these commands on this collection take so long, each on its own connection.
    static void delay(MongoClient client, String namespace, String command, int millis) {
        var blocking = "', blockConnection: true, blockTimeMS: " + millis;
        failCommand(client, Integer.MAX_VALUE, command, "namespace: '" + namespace + blocking);
    }

    /// @param times how many of the next; 0 for none any more
    /// @param data what happens to which of them
    static void failCommand(MongoClient client, int times, String command, String data) {
        var mode = times == 0 ? "'off'" : "{times: " + times + "}";
        client.getDatabase("admin")
                .runCommand(BsonDocument.parse(
                        "{configureFailPoint: 'failCommand', mode: %s, data: {failCommands: ['%s'], %s}}"
                                .formatted(mode, command, data)));
    }

    @Override
    public void close() {
        members.values().forEach(OwnMongod::close);
    }
}
