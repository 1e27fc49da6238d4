package org.restheart.core.streams;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.restheart.embedded.MongodBinary;

/// Three members on free ports that elect a new primary within seconds.
final class ReplicaSetOfThree implements AutoCloseable {
    private final Map<Integer, Process> members = new HashMap<>();

    static ReplicaSetOfThree start(MongodBinary mongod, Path folder) throws IOException {
        var set = new ReplicaSetOfThree();
        try {
            for (int i = 0; i < 3; i++) {
                set.startMember(mongod, Files.createDirectory(folder.resolve("member" + i)));
            }
            set.initiate();
        } catch (IOException | RuntimeException e) {
            set.close();
            throw e;
        }
        return set;
    }

    private void startMember(MongodBinary mongod, Path data) throws IOException {
        int port;
        try (var socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        var process = new ProcessBuilder(
                        mongod.path().toString(), "--replSet", "three", "--bind_ip", "127.0.0.1", "--nounixsocket")
                .redirectErrorStream(true)
                .redirectOutput(data.resolve("log").toFile());
        process.command().addAll(java.util.List.of("--port", "" + port, "--dbpath", data.toString()));
        process.command().addAll(java.util.List.of("--wiredTigerCacheSizeGB", "0.25", "--oplogSize", "64"));
        members.put(port, process.start());
    }

    private void initiate() {
        var hosts = new BsonArray();
        members.keySet()
                .forEach(port -> hosts.add(new BsonDocument("_id", new BsonInt32(hosts.size()))
                        .append("host", new BsonString("127.0.0.1:" + port))));
        var config = BsonDocument.parse("{_id: 'three', settings: {electionTimeoutMillis: 2000}}")
                .append("members", hosts);
        int first = members.keySet().iterator().next();
        try (var client = MongoClients.create(
                "mongodb://127.0.0.1:" + first + "/?directConnection=true&serverSelectionTimeoutMS=20000")) {
            client.getDatabase("admin").runCommand(new BsonDocument("replSetInitiate", config));
        }
        try (var client = MongoClients.create(connectionString())) {
            Awaitility.await().atMost(Duration.ofSeconds(40)).until(() -> healthy(client) == 3);
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
                + "/?replicaSet=three&w=majority";
    }

    /// Ends the primary as a crash would.
    void killPrimary(MongoClient client) {
        var hello =
                client.getDatabase("admin").runCommand(new BsonDocument("hello", new BsonInt32(1)), BsonDocument.class);
        var primary = hello.getString("primary").getValue();
        members.get(Integer.parseInt(primary.substring(primary.indexOf(':') + 1)))
                .destroyForcibly();
    }

    @Override
    public void close() {
        members.values().forEach(Process::destroyForcibly);
        members.values().forEach(process -> process.onExit().join());
    }
}
