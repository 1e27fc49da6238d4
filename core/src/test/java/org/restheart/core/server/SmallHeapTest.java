package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.mongodb.client.gridfs.GridFSBuckets;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.bson.BsonString;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.restheart.core.server.RawHttp2.Received;
import org.restheart.testkit.Opened;
import org.restheart.testkit.Patience;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// A gateway with little memory answers what it can, refuses the rest, and lives, whatever is asked of it at once.
@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SmallHeapTest {
    private static final int HEAP_MIB = 256;
    private static final int ROUND = 100;

    /// In place of a status.
    private static final int CUT = -2;

    private final TestMongo mongo;
    private Process process;
    private InetSocketAddress address;
    private Path log;

    /// A request, by which a way in is tried.
    ///
    /// @param mebibytes of its response
    private record Way(String name, String method, String path, String body, int mebibytes, String... fields) {
        int requests() {
            return Math.clamp(50L * HEAP_MIB / Math.max(1, mebibytes), ROUND, 4 * ROUND);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private enum Use {
        READ,
        UNREAD,
        RESET
    }

    SmallHeapTest(TestMongo mongo) {
        this.mongo = mongo;
    }

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        var database = mongo.database();
        for (int from = 0; from < 1_000; from += 100) {
            database.getCollection("pages")
                    .insertMany(IntStream.range(from, from + 100)
                            .mapToObj(i -> new Document("_id", i).append("t", "x".repeat(3_600)))
                            .toList());
        }
        for (int i = 0; i < 12; i++) {
            database.getCollection("large").insertOne(new Document("_id", i).append("t", "y".repeat(2 << 20)));
        }
        database.getCollection("mixed")
                .insertMany(IntStream.range(0, 2_000)
                        .mapToObj(i -> new Document("_id", i).append("t", "x".repeat(1_000)))
                        .toList());
        for (int i = 0; i < 4; i++) {
            database.getCollection("medium").insertOne(new Document("_id", i).append("t", "z".repeat(1 << 20)));
        }
        for (int i = 0; i < 6; i++) {
            database.getCollection("mixed").insertOne(new Document("_id", 10_000 + i).append("t", "y".repeat(2 << 20)));
        }
        GridFSBuckets.create(database, "f")
                .uploadFromStream(new BsonString("one"), "one", new ByteArrayInputStream(new byte[24 << 20]));
        database.getCollection("_properties")
                .insertOne(Document.parse("{_id: '_properties.pages', aggrs: [{uri: 'all', type: 'pipeline',"
                        + " stages: [{_$match: {}}]}]}"));
        database.getCollection("gql-apps")
                .insertOne(Document.parse("{_id: 'app', descriptor: {enabled: true}, schema: 'type Page { t: String }"
                        + " type Query { pages: [Page], large: [Page] }', mappings: {Query: {pages: {db: '"
                        + mongo.databaseName() + "', collection: 'pages', limit: 1000}, large: {db: '"
                        + mongo.databaseName() + "', collection: 'medium', limit: 4}}}}"));
        int port;
        try (var socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        address = new InetSocketAddress("127.0.0.1", port);
        var configuration = Files.writeString(folder.resolve("restheart.yml"), """
            http-listener: {host: 127.0.0.1, port: %d}
            mclient: {connection-string: "%s"}
            mongo: {mongo-mounts: [{what: /%s, where: /}]}
            basicAuthMechanism: {enabled: true, authenticator: fileRealmAuthenticator}
            fileRealmAuthenticator: {enabled: true, users: [{userid: bob, password: bob-pw, roles: [admin]}]}
            fullAuthorizer: {enabled: true, authentication-required: true}
            dataApi: {enabled: true}
            mcp: {enabled: true, calls-per-minute: 100000}
            graphql: {db: %s, collection: gql-apps}
            logging: {requests-log-mode: 0}
            """.formatted(
                        port, mongo.connectionString(), mongo.databaseName(), mongo.databaseName()));
        log = folder.resolve("log");
        process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx" + HEAP_MIB + "m",
                        "-XX:+UseG1GC",
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "org.restheart.core.Main",
                        configuration.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        await().atMost(Duration.ofMinutes(2)).ignoreExceptions().until(() -> status("GET", "/ping", "") == 200);
    }

    @AfterAll
    void stop() {
        process.destroyForcibly().onExit().join();
    }

    private static String authorization() {
        return TestClient.basic("bob", "bob-pw");
    }

    static Collection<Way> ways() {
        var json = "content-type";
        return List.of(
                new Way("page", "GET", "/pages?pagesize=1000", "", 4),
                new Way(
                        "different pages",
                        "GET",
                        "/pages?pagesize=1000&filter=%7B%22n%22%3A%7B%22%24ne%22%3A#%7D%7D",
                        "",
                        4),
                new Way("by id", "GET", "/large/#?id_type=NUMBER", "", 2),
                new Way("CSV", "GET", "/pages?pagesize=1000", "", 4, "accept", "text/csv"),
                new Way("lines", "GET", "/pages?pagesize=1000", "", 4, "accept", "application/x-ndjson"),
                new Way("export", "GET", "/large", "", 24, "accept", "application/x-ndjson"),
                new Way(
                        "export of what becomes larger",
                        "GET",
                        "/mixed?sort=_id",
                        "",
                        14,
                        "accept",
                        "application/x-ndjson"),
                new Way("CSV export", "GET", "/pages", "", 4, "accept", "text/csv"),
                new Way("compressed", "GET", "/pages?pagesize=1000", "", 0, "accept-encoding", "gzip"),
                new Way("laid out", "GET", "/pages?pagesize=1000&pretty", "", 4),
                new Way("a large page", "GET", "/large?pagesize=2&pretty", "", 4),
                new Way("cached", "GET", "/pages?pagesize=1000&cache", "", 4),
                new Way("HAL", "GET", "/pages?pagesize=1000&rep=HAL", "", 4),
                new Way("aggregation", "GET", "/pages/_aggrs/all", "", 4),
                new Way("file", "GET", "/f.files/one/binary", "", 24),
                new Way(
                        "Data API",
                        "POST",
                        "/app/any/endpoint/data/v1/action/find",
                        "{\"dataSource\": \"x\", \"database\": \"$db\", \"collection\": \"pages\", \"limit\": 1000}",
                        4,
                        json,
                        "application/json"),
                new Way(
                        "Data API of one",
                        "POST",
                        "/app/any/endpoint/data/v1/action/findOne",
                        "{\"dataSource\": \"x\", \"database\": \"$db\", \"collection\": \"large\","
                                + " \"filter\": {\"_id\": 3}}",
                        2,
                        json,
                        "application/json"),
                new Way(
                        "Data API aggregation",
                        "POST",
                        "/app/any/endpoint/data/v1/action/aggregate",
                        "{\"dataSource\": \"x\", \"database\": \"$db\", \"collection\": \"pages\","
                                + " \"pipeline\": [{\"$match\": {}}]}",
                        4,
                        json,
                        "application/json"),
                new Way(
                        "GraphQL of large documents",
                        "POST",
                        "/graphql/app",
                        "{\"query\": \"{ large { t } }\"}",
                        4,
                        json,
                        "application/json"),
                new Way(
                        "GraphQL",
                        "POST",
                        "/graphql/app",
                        "{\"query\": \"{ pages { t } }\"}",
                        4,
                        json,
                        "application/json"),
                new Way(
                        "MCP",
                        "POST",
                        "/_mcp",
                        "{\"jsonrpc\": \"2.0\", \"id\": 7, \"method\": \"tools/call\", \"params\": {\"name\":"
                                + " \"find\", \"arguments\": {\"database\": \"$db\", \"collection\": \"large\","
                                + " \"filter\": {\"_id\": 1}}}}",
                        0, // truncated
                        json,
                        "application/json",
                        "accept",
                        "application/json, text/event-stream"));
    }

    private byte[] head(Way way, int number) {
        var body = way.body.replace("$db", mongo.databaseName());
        var text = new StringBuilder(
                way.method + " " + path(way, number) + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: "
                        + authorization() + "\r\nContent-Length: " + body.length() + "\r\nConnection: close\r\n");
        for (int i = 0; i < way.fields.length; i += 2) {
            text.append(way.fields[i]).append(": ").append(way.fields[i + 1]).append("\r\n");
        }
        return text.append("\r\n").append(body).toString().getBytes(StandardCharsets.US_ASCII);
    }

    private static String path(Way way, int number) {
        return way.path.replace("#", "" + (way.name.equals("by id") ? number % 12 : number));
    }

    private int status(String method, String path, String body) throws IOException {
        return exchange(new Way("", method, path, body, 0), 0, Use.READ, new Opened<>());
    }

    /// @return the status; 0 for a response that is not read
    private int exchange(Way way, int number, Use use, Opened<Socket> open) throws IOException {
        var socket = new Socket();
        if (use == Use.UNREAD) {
            socket.setReceiveBufferSize(4_096);
        }
        socket.setSoTimeout(120_000);
        socket.connect(address, 60_000);
        socket.getOutputStream().write(head(way, number));
        if (use == Use.UNREAD) {
            open.add(socket);
            return 0;
        }
        if (use == Use.RESET) {
            socket.setSoLinger(true, 0);
            socket.close();
            return 0;
        }
        try (socket) {
            var line = new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
            long length = socket.getInputStream().skip(Long.MAX_VALUE);
            int status = line.length() < 12 ? -1 : Integer.parseInt(line.substring(9));
            return status == 200 && length < way.mebibytes * 800_000L ? CUT : status;
        }
    }

    private String ending() {
        try {
            var lines = Files.readAllLines(log);
            return String.join("\n", lines.subList(Math.max(0, lines.size() - 30), lines.size()));
        } catch (IOException e) {
            return e.toString();
        }
    }

    private void awaitPing() {
        await().atMost(Patience.relative(Duration.ofSeconds(5)))
                .ignoreExceptions()
                .until(() -> !process.isAlive() || status("GET", "/ping", "") == 200);
        assertThat(process.isAlive()).as(this::ending).isTrue();
    }

    /// What others held has been given back.
    private void awaitServed(Way way) {
        await().atMost(Patience.relative(Duration.ofSeconds(20)))
                .ignoreExceptions()
                .until(() -> !process.isAlive() || exchange(way, 1, Use.READ, new Opened<>()) == 200);
        assertThat(process.isAlive()).as(this::ending).isTrue();
    }

    private Map<Integer, Integer> together(Way way, Use use, Opened<Socket> open) throws Exception {
        var statuses = new ConcurrentSkipListMap<Integer, Integer>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < way.requests(); i++) {
                int number = i;
                threads.submit(() -> statuses.merge(exchange(way, number, use, open), 1, Integer::sum));
            }
            awaitPing();
        }
        return statuses;
    }

    @ParameterizedTest
    @MethodSource("ways")
    void clients_of_http_1(Way way) throws Exception {
        var statuses = together(way, Use.READ, new Opened<>());
        assertThat(statuses.keySet()).as(way.name + statuses).isSubsetOf(200, 503);
        assertThat(statuses.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(way.requests());
        try (var open = new Opened<Socket>()) {
            together(way, Use.UNREAD, open);
            awaitPing();
        }
        together(way, Use.RESET, new Opened<>());
        awaitPing();
        awaitServed(way);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void clients_of_http_2(Way way) throws Exception {
        var statuses = new ConcurrentSkipListMap<Integer, Integer>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int from = 0; from < way.requests(); from += ROUND) {
                int first = from;
                threads.submit(() -> {
                    readAll(way, first).forEach(received -> statuses.merge(status(way, received), 1, Integer::sum));
                    return null;
                });
            }
            awaitPing();
        }
        assertThat(statuses.keySet()).as(way.name + statuses).isSubsetOf(200, 503);
        assertThat(statuses.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(way.requests());
        for (boolean resets : new boolean[] {false, true}) {
            var connections = new ArrayList<RawHttp2>();
            try {
                for (int from = 0; from < way.requests(); from += ROUND) {
                    var client = new RawHttp2(address);
                    connections.add(client);
                    for (int i = 0; i < ROUND; i++) {
                        send(client, way, 2 * i + 1, from + i);
                        if (resets) {
                            client.reset(2 * i + 1);
                        }
                    }
                }
                awaitPing();
            } finally {
                for (var client : connections) {
                    client.close();
                }
            }
            awaitServed(way);
        }
    }

    private static int status(Way way, Received received) {
        boolean isCut =
                !received.isWhole() || (received.status() == 200 && received.bytes() < way.mebibytes * 800_000L);
        return isCut ? CUT : received.status();
    }

    private Collection<Received> readAll(Way way, int from) throws IOException {
        try (var client = RawHttp2.reading(address)) {
            int count = Math.min(ROUND, way.requests() - from);
            for (int i = 0; i < count; i++) {
                send(client, way, 2 * i + 1, from + i);
            }
            return client.receive(count).values();
        }
    }

    private void send(RawHttp2 client, Way way, int stream, int number) throws IOException {
        var fields = new ArrayList<>(List.of("authorization", authorization()));
        fields.addAll(List.of(way.fields));
        if (way.body.isEmpty()) {
            client.get(stream, path(way, number), fields.toArray(String[]::new));
        } else {
            var body = way.body.replace("$db", mongo.databaseName());
            client.post(stream, way.path, body, fields.toArray(String[]::new));
        }
    }
}
