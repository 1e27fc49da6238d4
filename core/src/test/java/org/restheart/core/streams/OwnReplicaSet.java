package org.restheart.core.streams;

import static org.junit.jupiter.api.Assumptions.abort;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.restheart.embedded.EmbeddedMongoException;
import org.restheart.embedded.MongodBinary;

/// A deployment of a test's own, of members on free ports that elect a new primary within seconds and do what test
/// commands ask.
final class OwnReplicaSet implements AutoCloseable {
    private final Map<Integer, Process> members = new HashMap<>();

    static OwnReplicaSet start(int members, Path folder) throws IOException {
        var mongod = mongod();
        var set = new OwnReplicaSet();
        try {
            for (int i = 0; i < members; i++) {
                set.startMember(mongod, Files.createDirectory(folder.resolve("member" + i)));
            }
            set.initiate();
        } catch (IOException | RuntimeException e) {
            set.close();
            throw e;
        }
        return set;
    }

    private static MongodBinary mongod() {
        try {
            return MongodBinary.find(null, MongodBinary.standardCache());
        } catch (EmbeddedMongoException e) {
            return abort("needs a mongod of its own: " + e.getMessage());
        }
    }

    private void startMember(MongodBinary mongod, Path data) throws IOException {
        int port;
        try (var socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        var process = new ProcessBuilder(
                        mongod.path().toString(), "--replSet", "own", "--bind_ip", "127.0.0.1", "--nounixsocket")
                .redirectErrorStream(true)
                .redirectOutput(data.resolve("log").toFile());
        process.command().addAll(List.of("--port", "" + port, "--dbpath", data.toString()));
        process.command().addAll(List.of("--setParameter", "enableTestCommands=1"));
        process.command().addAll(List.of("--setParameter", "diagnosticDataCollectionEnabled=false"));
        process.command().addAll(List.of("--wiredTigerCacheSizeGB", "0.25", "--oplogSize", "64"));
        members.put(port, process.start());
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
            Awaitility.await().atMost(Duration.ofSeconds(40)).until(() -> healthy(client) == members.size());
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
        primary(client).destroyForcibly();
    }

    /// Stops the primary where it stands: its sockets stay open, and nothing answers.
    void freezePrimary(MongoClient client) throws IOException, InterruptedException {
        var kill = new ProcessBuilder(
                        "kill", "-STOP", Long.toString(primary(client).pid()))
                .start();
        if (kill.waitFor() != 0) {
            throw new IOException("kill -STOP failed");
        }
    }

    /// Keeps all other members from replicating, while they go on to vote for the primary.
    void stopReplication(MongoClient client) {
        var primary = primary(client);
        members.forEach((port, member) -> {
            if (member.pid() != primary.pid()) {
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

    private Process primary(MongoClient client) {
        var hello =
                client.getDatabase("admin").runCommand(new BsonDocument("hello", new BsonInt32(1)), BsonDocument.class);
        var primary = hello.getString("primary").getValue();
        return Objects.requireNonNull(members.get(Integer.parseInt(primary.substring(primary.indexOf(':') + 1))));
    }

    /// Makes the next so many of these commands on this collection fail with this code; 0 for none any more.
    static void fail(MongoClient client, String namespace, String command, int code, int times) {
        client.getDatabase("admin").runCommand(BsonDocument.parse("""
                        {configureFailPoint: 'failCommand', mode: %s,
                         data: {failCommands: ['%s'], namespace: '%s', errorCode: %d}}""".formatted(
                        times == 0 ? "'off'" : "{times: " + times + "}", command, namespace, code)));
    }

    /// Has the next such command on this collection done, but not confirmed by a majority.
    static void leaveUnconfirmed(MongoClient client, String namespace, String command) {
        client.getDatabase("admin").runCommand(BsonDocument.parse("""
                        {configureFailPoint: 'failCommand', mode: {times: 1},
                         data: {failCommands: ['%s'], namespace: '%s',
                                writeConcernError: {code: 64, errmsg: 'waiting for replication timed out'}}}""".formatted(command, namespace)));
    }

    /// Makes the next so many of these commands fail with this code, on any collection.
    static void fail(MongoClient client, String command, int code, int times) {
        client.getDatabase("admin").runCommand(BsonDocument.parse("""
                        {configureFailPoint: 'failCommand', mode: {times: %d},
                         data: {failCommands: ['%s'], errorCode: %d}}""".formatted(times, command, code)));
    }

    /// Makes the next so many of these commands on this collection break their connection.
    static void breakConnection(MongoClient client, String namespace, String command, int times) {
        client.getDatabase("admin").runCommand(BsonDocument.parse("""
                        {configureFailPoint: 'failCommand', mode: {times: %d},
                         data: {failCommands: ['%s'], namespace: '%s', closeConnection: true}}""".formatted(times, command, namespace)));
    }

    /// The same, on any collection.
    static void breakConnection(MongoClient client, String command, int times) {
        client.getDatabase("admin").runCommand(BsonDocument.parse("""
                        {configureFailPoint: 'failCommand', mode: {times: %d},
                         data: {failCommands: ['%s'], closeConnection: true}}""".formatted(times, command)));
    }

    /// Makes these commands on this collection take so long, each on its own connection.
    static void delay(MongoClient client, String namespace, String command, int millis) {
        client.getDatabase("admin").runCommand(BsonDocument.parse("""
                        {configureFailPoint: 'failCommand', mode: 'alwaysOn',
                         data: {failCommands: ['%s'], namespace: '%s', blockConnection: true, blockTimeMS: %d}}""".formatted(command, namespace, millis)));
    }

    @Override
    public void close() {
        members.values().forEach(Process::destroyForcibly);
        members.values().forEach(process -> process.onExit().join());
    }
}
