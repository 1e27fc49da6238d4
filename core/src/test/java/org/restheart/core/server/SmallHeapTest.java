package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.is;

import com.mongodb.client.gridfs.GridFSBuckets;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.bson.BsonString;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.restheart.core.GatewayProcess;
import org.restheart.core.server.RawHttp2.Received;
import org.restheart.embedded.FreePort;
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

    /// Requests at a time of each kind: if nobody owned their memory, those of one kind would take all of it.
    private static final int READERS = 6;

    private static final int OTHERS = 5;
    private static final int SLOW_QUERIES = 20;
    private static final int SURPRISED = 24;
    private static final int LISTENERS = 30;
    private static final int EMBEDS = 60;
    private static final int HUGE = 8 << 20;

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
        @Override
        public String toString() {
            return name;
        }
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
        database.getCollection("mixed")
                .insertMany(IntStream.range(0, 1_000)
                        .mapToObj(i -> new Document("_id", i).append("t", "x".repeat(1_000)))
                        .toList());
        for (int i = 0; i < 2; i++) {
            database.getCollection("huge").insertOne(new Document("_id", i).append("t", "y".repeat(HUGE)));
            database.getCollection("views").insertOne(new Document("_id", i).append("t", "y".repeat(HUGE)));
            database.getCollection("mixed").insertOne(new Document("_id", 10_000 + i).append("t", "y".repeat(HUGE)));
        }
        for (int i = 0; i < 4; i++) {
            database.getCollection("medium").insertOne(new Document("_id", i).append("t", "z".repeat(1 << 20)));
        }
        for (int i = 0; i < SLOW_QUERIES; i++) {
            database.getCollection("small" + i).insertOne(new Document("_id", 1));
        }
        database.createView("view", "views", List.of());
        GridFSBuckets.create(database, "f")
                .uploadFromStream(new BsonString("one"), "one", new ByteArrayInputStream(new byte[24 << 20]));
        database.getCollection("_properties")
                .insertOne(Document.parse("{_id: '_properties.huge', aggrs: [{uri: 'all', type: 'pipeline',"
                        + " stages: [{_$match: {}}]}]}"));
        database.getCollection("parents")
                .insertMany(IntStream.range(0, 100)
                        .mapToObj(i -> new Document("_id", i)
                                .append("m", List.of(0, 1, 2, 3))
                                .append("o", i % 4))
                        .toList());
        database.getCollection("_properties")
                .insertOne(Document.parse("{_id: '_properties.parents', rels: [{rel: 'm', type: 'MANY_TO_MANY',"
                        + " role: 'OWNING', 'target-coll': 'medium', 'ref-field': 'm'}, {rel: 'o', type: 'MANY_TO_ONE',"
                        + " role: 'OWNING', 'target-coll': 'medium', 'ref-field': 'o'}]}"));
        database.getCollection("gql-apps")
                .insertOne(Document.parse("{_id: 'app', descriptor: {enabled: true}, schema: 'type Page { t: String }"
                        + " type Change { fullDocument: Page } type Subscription { changed: Change }"
                        + " type Query { pages: [Page], large: [Page], huge: [Page] }', mappings: {Subscription: {changed: {db: '"
                        + mongo.databaseName() + "', collection: 'events', stream: 'every'}}, Query: {pages: {db: '"
                        + mongo.databaseName() + "', collection: 'pages', limit: 1000}, large: {db: '"
                        + mongo.databaseName() + "', collection: 'medium', limit: 4}, huge: {db: '"
                        + mongo.databaseName() + "', collection: 'huge', limit: 2}}}}"));
        int port = FreePort.find();
        address = new InetSocketAddress("127.0.0.1", port);
        log = folder.resolve("log");
        var more = """
            dataApi: {enabled: true}
            mcp: {enabled: true, calls-per-minute: 100000, concurrent-calls: 1000}
            graphql: {db: %s, collection: gql-apps}
            logging: {requests-log-mode: 0}
            """.formatted(mongo.databaseName());
        process = GatewayProcess.start(
                folder,
                port,
                mongo.connectionString(),
                mongo.databaseName(),
                more,
                "-Xmx" + HEAP_MIB + "m",
                "-XX:+UseG1GC");
        await().atMost(Duration.ofMinutes(2)).ignoreExceptions().until(() -> status("/ping") == 200);
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
        var lines = "application/x-ndjson";
        return List.of(
                new Way("page", "GET", "/pages?pagesize=1000", "", 4),
                new Way(
                        "different pages",
                        "GET",
                        "/pages?pagesize=1000&filter=%7B%22n%22%3A%7B%22%24ne%22%3A#%7D%7D",
                        "",
                        4),
                new Way("page of a view", "GET", "/view", "", 16),
                new Way("by id", "GET", "/huge/#?id_type=NUMBER", "", 8),
                new Way("lines of a page", "GET", "/pages?pagesize=1000", "", 4, "accept", lines),
                new Way("export", "GET", "/huge", "", 16, "accept", lines),
                new Way("export of what becomes larger", "GET", "/mixed?sort=_id", "", 17, "accept", lines),
                new Way("CSV export", "GET", "/huge", "", 16, "accept", "text/csv"),
                new Way("compressed", "GET", "/huge?pagesize=2", "", 0, "accept-encoding", "gzip"),
                new Way("laid out", "GET", "/huge?pagesize=2&pretty", "", 16),
                new Way("HAL", "GET", "/huge?pagesize=2&rep=HAL", "", 16),
                new Way("aggregation", "GET", "/huge/_aggrs/all", "", 16),
                new Way("embed", "GET", "/parents?pagesize=2&embed=m", "", 8),
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
                        "{\"dataSource\": \"x\", \"database\": \"$db\", \"collection\": \"huge\","
                                + " \"filter\": {\"_id\": 1}}",
                        8,
                        json,
                        "application/json"),
                new Way(
                        "Data API aggregation",
                        "POST",
                        "/app/any/endpoint/data/v1/action/aggregate",
                        "{\"dataSource\": \"x\", \"database\": \"$db\", \"collection\": \"huge\","
                                + " \"pipeline\": [{\"$match\": {}}]}",
                        16,
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
                        "transaction",
                        "POST",
                        "/_transactions",
                        "[{\"method\": \"GET\", \"path\": \"/huge/1?id_type=NUMBER\"}]",
                        8,
                        json,
                        "application/json"),
                new Way(
                        "MCP",
                        "POST",
                        "/_mcp",
                        "{\"jsonrpc\": \"2.0\", \"id\": 7, \"method\": \"tools/call\", \"params\": {\"name\":"
                                + " \"find\", \"arguments\": {\"database\": \"$db\", \"collection\": \"huge\","
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

    private String path(Way way, int number) {
        return way.path
                .replace("$db", mongo.databaseName())
                .replace("#", "" + (way.name.equals("by id") ? number % 2 : number));
    }

    private int status(String path) throws IOException {
        return exchange(new Way("", "GET", path, "", 0), 0);
    }

    /// @return the status
    private int exchange(Way way, int number) throws IOException {
        try (var socket = begin(way, number, 64 << 10)) {
            var line = new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
            int status = line.length() < 12 ? -1 : Integer.parseInt(line.substring(9));
            if (status == 207) { // of one line
                var parts = new String(socket.getInputStream().readNBytes(4_000), StandardCharsets.UTF_8);
                return parts.contains("\"httpStatus\": 503") ? 503 : status;
            }
            long length = socket.getInputStream().skip(Long.MAX_VALUE);
            return status == 200 && length < way.mebibytes * 800_000L ? CUT : status;
        }
    }

    private Socket begin(Way way, int number, int buffer) throws IOException {
        var socket = connected(buffer);
        socket.getOutputStream().write(head(way, number));
        return socket;
    }

    private Socket connected(int buffer) throws IOException {
        var socket = new Socket();
        socket.setReceiveBufferSize(buffer);
        socket.setSoTimeout(120_000);
        socket.connect(address, 60_000);
        return socket;
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
        Patience.within(Duration.ofSeconds(30))
                .ignoreExceptions()
                .until(() -> !process.isAlive() || status("/ping") == 200);
        assertThat(process.isAlive()).as(this::ending).isTrue();
    }

    /// Each by HTTP/1.1 and HTTP/2: clients that read, others that read nothing, and others that have left.
    @ParameterizedTest
    @MethodSource("ways")
    void requests_at_once(Way way) throws Exception {
        var statuses = new ConcurrentSkipListMap<Integer, Integer>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor();
                var unread = new Opened<Socket>();
                var unreadStreams = new RawHttp2(address)) {
            for (int i = 0; i < READERS; i++) {
                int number = i;
                threads.submit(() -> statuses.merge(exchange(way, number), 1, Integer::sum));
            }
            threads.submit(() -> {
                readStreams(way).forEach(received -> statuses.merge(status(way, received), 1, Integer::sum));
                return null;
            });
            for (int i = 0; i < OTHERS; i++) {
                unread.add(begin(way, i, 4_096));
                send(unreadStreams, way, 4 * i + 1, i);
                send(unreadStreams, way, 4 * i + 3, i);
                unreadStreams.reset(4 * i + 3);
                var left = begin(way, i, 4_096);
                left.setSoLinger(true, 0);
                left.close();
            }
            awaitPing();
        }
        assertThat(process.isAlive()).as(this::ending).isTrue();
        assertThat(statuses.keySet()).as(way.name + statuses).isSubsetOf(200, 503);
        assertThat(statuses.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(2 * READERS);
        Patience.within(Duration.ofSeconds(30)) // what others held has been given back
                .ignoreExceptions()
                .until(() -> !process.isAlive() || exchange(way, 1) == 200);
        assertThat(process.isAlive()).as(this::ending).isTrue();
    }

    @Test
    void what_some_embed_is_not_expected_of_all_who_embed() throws Exception {
        for (int page = 1; page <= 3; page++) {
            var embedding = "/parents?pagesize=3&embed=m&page=" + page;
            Patience.within(Duration.ofSeconds(20)).until(() -> status(embedding), is(200)); // others may have memory
        }
        assertThat(status("/parents?pagesize=2&embed=o")).isEqualTo(200);
    }

    /// Whoever reads documents with others waits for the memory of both before there is any.
    @Test
    void embeds_at_once_are_served_a_few_at_a_time() throws Exception {
        var way = new Way("", "GET", "/parents?pagesize=1&embed=m&filter=%7B%22n%22%3A%7B%22%24ne%22%3A#%7D%7D", "", 4);
        Patience.within(Duration.ofSeconds(20)).until(() -> exchange(way, 0), is(200)); // others may have memory
        var statuses = new ConcurrentSkipListMap<Integer, Integer>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < EMBEDS; i++) {
                int number = i;
                threads.submit(() -> statuses.merge(exchange(way, number), 1, Integer::sum));
            }
        }
        assertThat(process.isAlive()).as(this::ending).isTrue();
        assertThat(statuses.keySet()).as(statuses.toString()).isSubsetOf(200, 503);
        assertThat(statuses.getOrDefault(200, 0)).as(statuses.toString()).isGreaterThan(EMBEDS / 2);
    }

    /// Its documents count for the command that has read them, which the request has joined.
    @Test
    void a_large_result_of_graphql_alone() throws Exception {
        var json = new String[] {"content-type", "application/json"};
        var way = new Way("", "POST", "/graphql/app", "{\"query\": \"{ huge { t } }\"}", 16, json);
        for (int i = 0; i < 2; i++) { // the second one expects what the first one has found
            Patience.within(Duration.ofSeconds(20)).until(() -> exchange(way, 0), is(200)); // others may have memory
        }
    }

    static Collection<Way> left() {
        var large = ways().stream()
                .filter(way -> List.of("by id", "laid out", "Data API of one").contains(way.name));
        var document = new Way(
                "document",
                "PUT",
                "/written/1?wm=upsert",
                "{\"a\": \"" + "x".repeat(HUGE) + "\"}",
                0,
                "content-type",
                "application/json");
        return Stream.concat(large, Stream.of(document)).toList();
    }

    /// XNIO refers to connections that were closed until it selects again: what their requests held must not be there
    /// as long.
    @ParameterizedTest
    @MethodSource("left")
    void clients_that_leave_in_the_middle_of_a_response(Way way) throws Exception {
        assertThat(exchange(new Way("", "PUT", "/written", "", 0), 0)).isBetween(200, 201);
        var begun = new AtomicInteger();
        try (var threads = Executors.newFixedThreadPool(READERS)) {
            for (int i = 0; i < 2 * HEAP_MIB / 8; i++) {
                int number = i;
                threads.submit(() -> {
                    try (var socket = begin(way, number, 4_096)) {
                        begun.addAndGet(socket.getInputStream().readNBytes(12).length == 12 ? 1 : 0);
                        socket.setSoLinger(true, 0);
                    }
                    return null;
                });
            }
        }
        assertThat(process.isAlive()).as(this::ending).isTrue();
        assertThat(begun.get()).isPositive();
        awaitPing();
    }

    static Collection<Way> writes() {
        var many = "{\"a\":1},".repeat(60_000) + "{}";
        return List.of(
                new Way("array", "POST", "/written", "[" + many + "]", 0, "content-type", "application/json"),
                new Way(
                        "Data API",
                        "POST",
                        "/app/any/endpoint/data/v1/action/insertMany",
                        "{\"dataSource\": \"x\", \"database\": \"$db\", \"collection\": \"written\", \"documents\": ["
                                + many + "]}",
                        0,
                        "content-type",
                        "application/json"),
                new Way(
                        "CSV",
                        "POST",
                        "/csv?db=$db&coll=written",
                        "a,b,c\n" + "1,2,3\n".repeat(80_000),
                        0,
                        "content-type",
                        "text/csv"),
                new Way("BSON", "POST", "/written", emptyDocuments(), 0, "content-type", "application/bson"),
                new Way(
                        "CSV with a cell of many values",
                        "POST",
                        "/written",
                        "a\n\"[" + "{},".repeat(5_000_000) + "{}]\"\n",
                        0,
                        "content-type",
                        "text/csv"));
    }

    /// `{a: [{}, {}, …]}` in BSON of 8 MB, whose bytes are ASCII; objects for it would need 30 times as much.
    private static String emptyDocuments() {
        return "\u007d\u0070\u007f\0\4a\0\u0075\u0070\u007f\0" + "\3a\0\5\0\0\0\0".repeat(0x7f7070 / 8) + "\0\0";
    }

    @ParameterizedTest
    @MethodSource("writes")
    void writes_of_many_documents_at_once(Way way) throws Exception {
        assertThat(exchange(new Way("", "PUT", "/written", "", 0), 0)).isBetween(200, 201);
        var statuses = new ConcurrentSkipListMap<Integer, Integer>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 12; i++) {
                int number = i;
                threads.submit(() -> statuses.merge(exchange(way, number), 1, Integer::sum));
            }
            awaitPing();
        }
        assertThat(process.isAlive()).as(this::ending).isTrue();
        assertThat(statuses.keySet()).as(way.name + statuses).isSubsetOf(200, 201, 503);
        Patience.within(Duration.ofSeconds(30)) // also one alone is served
                .ignoreExceptions()
                .until(() -> !process.isAlive() || exchange(way, 1) / 100 == 2);
        assertThat(process.isAlive()).as(this::ending).isTrue();
    }

    private static int status(Way way, Received received) {
        boolean isCut =
                !received.isWhole() || (received.status() == 200 && received.bytes() < way.mebibytes * 800_000L);
        return isCut ? CUT : received.status();
    }

    private Collection<Received> readStreams(Way way) throws IOException {
        try (var client = RawHttp2.reading(address)) {
            for (int i = 0; i < READERS; i++) {
                send(client, way, 2 * i + 1, i);
            }
            return client.receive(READERS).values();
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

    /// Each request refers to the properties of its collection as objects.
    @Test
    void properties_with_many_values_at_once() throws Exception {
        var values = IntStream.range(0, 90_000)
                .mapToObj(i -> "\"p" + i + "\":{\"type\":\"string\"}")
                .collect(Collectors.joining(",", "{\"x\":{", "}}"));
        var statuses = new ConcurrentSkipListMap<Integer, Integer>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var method : List.of("PUT", "PATCH")) {
                var way = new Way("", method, "/properties", values, 0, "content-type", "application/json");
                for (int i = 0; i < READERS; i++) {
                    threads.submit(() -> statuses.merge(exchange(way, 0), 1, Integer::sum));
                }
            }
        }
        assertThat(process.isAlive()).as(this::ending).isTrue();
        assertThat(statuses.keySet()).as(statuses.toString()).isSubsetOf(404, 413, 503);
    }

    static Collection<Way> small() {
        var deep = "{\"\":".repeat(80) + 0 + "}".repeat(80);
        var values = "{\"a\":[" + String.join(",", Collections.nCopies(35, deep)) + "]}";
        var many = "[{}" + ",{}".repeat(4_000) + "]";
        var find = "{\"dataSource\":\"x\",\"database\":\"$db\",\"collection\":\"changed\",\"filter\":" + values + "}";
        var action = "/app/any/endpoint/data/v1/action/find";
        var json = new String[] {"content-type", "application/json"};
        return List.of(
                new Way("change", "PATCH", "/changed/one?wm=upsert", values, 0, json),
                new Way("change of properties", "PATCH", "/changed", values, 0, json),
                new Way("array", "POST", "/changed", many, 0, json),
                new Way("Data API", "POST", action, find, 0, json));
    }

    /// Content that came together with its head takes more as objects than as bytes.
    @ParameterizedTest
    @MethodSource("small")
    void small_content_with_many_values_at_once(Way way) throws Exception {
        assertThat(exchange(new Way("", "PUT", "/changed", "", 0), 0)).isBetween(200, 201);
        var statuses = new ConcurrentSkipListMap<Integer, Integer>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 700; i++) {
                threads.submit(() -> statuses.merge(exchange(way, 0), 1, Integer::sum));
            }
        }
        assertThat(process.isAlive()).as(this::ending).isTrue();
        assertThat(statuses.keySet()).as(statuses.toString()).isSubsetOf(200, 201, 503);
        awaitPing();
        assertThat(exchange(way, 0)).isEqualTo(200);
    }

    /// More than any request may have, whoever sends it: two of them would end the process.
    @Test
    void a_change_with_too_many_values() throws Exception {
        assertThat(exchange(new Way("", "PUT", "/changed", "", 0), 0)).isBetween(200, 201);
        var values = "{\"a\":[" + "{},".repeat(1_000_000) + "{}]}";
        var json = new String[] {"content-type", "application/json"};
        assertThat(exchange(new Way("", "PATCH", "/changed/one?wm=upsert", values, 0, json), 0))
                .isEqualTo(413);
        Patience.within(Duration.ofSeconds(20)) // the document itself takes little
                .until(() -> exchange(new Way("", "PUT", "/changed/one?wm=upsert", values, 0, json), 0) / 100, is(2));
    }

    /// Clients that are refused send on for a while: what has arrived before is not there as long.
    @Test
    void content_that_is_refused_while_it_arrives() throws Exception {
        var statuses = new ConcurrentSkipListMap<Integer, Integer>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor();
                var clients = new Opened<Socket>()) {
            for (int i = 0; i < 60; i++) {
                threads.submit(() -> statuses.merge(upload(clients), 1, Integer::sum));
            }
        }
        assertThat(process.isAlive()).as(this::ending).isTrue();
        assertThat(statuses.keySet()).as(statuses.toString()).isSubsetOf(400, 503);
        awaitPing();
    }

    /// @param clients keeps the connection
    /// @return the status
    private int upload(Opened<Socket> clients) throws IOException {
        var socket = clients.add(connected(64 << 10));
        var head = "POST /pages HTTP/1.1\r\nHost: localhost\r\nAuthorization: " + authorization()
                + "\r\nContent-Length: " + (15 << 20) + "\r\n\r\n";
        var piece = " ".repeat(1 << 20).getBytes(StandardCharsets.US_ASCII);
        try {
            socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
            for (int i = 0; i < 15; i++) {
                socket.getOutputStream().write(piece);
            }
        } catch (IOException _) {
            // refused
        }
        var line = new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
        return line.length() < 12 ? -1 : Integer.parseInt(line.substring(9));
    }

    /// A line is there as text, and as BSON, which is three times as long.
    @Test
    void lines_with_many_values_at_once() throws Exception {
        assertThat(exchange(new Way("", "PUT", "/lines", "", 0), 0)).isBetween(200, 201);
        var line = "{\"a\": [" + "{},".repeat(5_000_000) + "{}]}";
        var way = new Way("", "POST", "/lines", line, 0, "content-type", "application/x-ndjson");
        var statuses = new ConcurrentSkipListMap<Integer, Integer>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 30; i++) {
                threads.submit(() -> statuses.merge(exchange(way, 0), 1, Integer::sum));
            }
        }
        assertThat(process.isAlive()).as(this::ending).isTrue();
        assertThat(statuses.keySet()).as(statuses.toString()).isSubsetOf(207, 503);
        awaitPing();
    }

    /// They are read before the file is.
    @Test
    void metadata_of_files_with_many_values_at_once() throws Exception {
        var deep = "{\"\":".repeat(80) + 0 + "}".repeat(80);
        var values = "{\"a\":[" + String.join(",", Collections.nCopies(500, deep)) + "]}";
        var head = "--b\r\nContent-Disposition: form-data; name=";
        var content = head + "metadata\r\n\r\n" + values + "\r\n" + head + "file; filename=a\r\n\r\nx\r\n--b--\r\n";
        var way = new Way("", "POST", "/f.files", content, 0, "content-type", "multipart/form-data; boundary=b");
        var statuses = new ConcurrentSkipListMap<Integer, Integer>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 60; i++) {
                threads.submit(() -> statuses.merge(exchange(way, 0), 1, Integer::sum));
            }
        }
        assertThat(process.isAlive()).as(this::ending).isTrue();
        assertThat(statuses.keySet()).as(statuses.toString()).isSubsetOf(201, 503);
        awaitPing();
        assertThat(exchange(way, 0)).isEqualTo(201);
    }

    /// Documents of which those that were read before were small, in many replies at once: they are received one after
    /// the other, and what clients do not take holds no more than their caller's share.
    @Test
    void documents_larger_than_expected() throws Exception {
        var documents = mongo.database().getCollection("surprising");
        documents.insertMany(
                IntStream.range(0, 100).mapToObj(i -> new Document("_id", i)).toList());
        assertThat(status("/surprising")).isEqualTo(200);
        documents.insertOne(new Document("_id", 100).append("t", "y".repeat(15 << 20)));
        var way = new Way("", "GET", "/surprising?filter=%7B%22_id%22:100,%22n%22:%7B%22$ne%22:#%7D%7D", "", 15);
        var statuses = new ConcurrentSkipListMap<Integer, Integer>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < SURPRISED; i++) {
                int number = i;
                threads.submit(() -> statuses.merge(exchange(way, number), 1, Integer::sum));
            }
        }
        assertThat(process.isAlive()).as(this::ending).isTrue();
        assertThat(statuses.keySet()).as(statuses.toString()).isSubsetOf(200, 503);
        awaitPing();
    }

    /// Both have more bytes than the heap: documents that refer to others, and those that are read and not embedded,
    /// since each document has fewer.
    @Test
    void documents_with_related_ones() throws Exception {
        var database = mongo.database();
        database.getCollection("boxes")
                .insertMany(IntStream.range(0, 1_500)
                        .mapToObj(i -> new Document("_id", i))
                        .toList());
        var all = IntStream.range(0, 1_500).boxed().toList();
        database.getCollection("labels")
                .insertMany(IntStream.range(0, 101)
                        .mapToObj(i -> new Document("_id", i).append("of", all).append("t", "x".repeat(20_000)))
                        .toList());
        database.getCollection("labels").createIndex(new Document("of", 1));
        var content = new Document("from", "huge")
                .append("as", "content")
                .append("pipeline", List.of(new Document("$match", new Document("_id", 1))));
        database.createView(
                "full",
                "boxes",
                List.of(
                        new Document("$match", new Document("_id", new Document("$lt", 30))),
                        new Document("$lookup", content)));
        for (var name : List.of("boxes", "full")) {
            database.getCollection("_properties").insertOne(Document.parse("""
                {_id: '_properties.%s', rels: [
                  {rel: 'labels', type: 'MANY_TO_MANY', role: 'INVERSE', 'target-coll': 'labels', 'ref-field': 'of'},
                  {rel: 'box', type: 'ONE_TO_ONE', role: 'INVERSE', 'target-coll': 'boxes', 'ref-field': '_id'}]}\
                """.formatted(name)));
        }
        assertThat(exchange(new Way("", "POST", "/ic?db=" + mongo.databaseName(), "", 0), 0))
                .as("the gateway forgets the properties that it knows")
                .isEqualTo(200);
        var one = "embed=%7B%22labels%22:%7B%22limit%22:1,%22keys%22:%7B%22of%22:0%7D%7D%7D";
        for (var way : List.of(
                new Way("referring", "GET", "/full?embed=box", "", 240, "accept", "application/x-ndjson"),
                new Way("related", "GET", "/boxes?" + one, "", 30, "accept", "application/x-ndjson"))) {
            assertThat(exchange(way, 0)).as(way.name).isEqualTo(200);
            assertThat(process.isAlive()).as(this::ending).isTrue();
        }
        // a page is read as a whole
        assertThat(status("/full?pagesize=30&embed=box")).isEqualTo(400);
    }

    private static Document lists(String id, int count) {
        var lists = new Document("_id", id);
        IntStream.range(0, count).forEach(i -> lists.append("a" + i, List.of()));
        return lists;
    }

    /// Who writes them with MongoDB's own tools is not bounded; and many are read at once.
    @Test
    void stored_properties() throws Exception {
        var database = mongo.database();
        var properties = database.getCollection("_properties");
        database.createCollection("tools");
        properties.insertOne(lists("_properties.tools", 200_000));
        assertThat(status("/tools")).isEqualTo(503);
        for (int i = 0; i < 150; i++) {
            database.createCollection("many" + i);
            properties.insertOne(lists("_properties.many" + i, 15_000));
        }
        for (var path : List.of("/?rep=HAL&pagesize=1000", "/_openapi")) {
            assertThat(status(path)).as(path).isIn(200, 503);
            assertThat(process.isAlive()).as(this::ending).isTrue();
        }
        awaitPing();
    }

    /// Each has a cursor of its own: of listeners that have missed large events and take nothing, and of different
    /// streams.
    @Test
    void large_events_of_many_cursors() throws Exception {
        var database = mongo.database();
        database.createCollection("events");
        database.getCollection("_properties").insertOne(Document.parse("""
                {_id: '_properties.events', streams: [
                  {uri: 'every', stages: []},
                  {uri: 'all', stages: [{$match: {n: {$ne: {$var: 'n'}}}}]}]}"""));
        var subscription = "{\"query\": \"subscription Changed { changed { fullDocument { t } } }\"}";
        var subscribing = new Way(
                "",
                "POST",
                "/graphql/app",
                subscription,
                0,
                "accept",
                "text/event-stream",
                "content-type",
                "application/json");
        var stream = "/events/_streams/all?avars=%7B%22n%22:#%7D";
        String token;
        try (var events = database.getCollection("events").watch().cursor()) {
            database.getCollection("events").insertOne(new Document("_id", 0));
            token = events.next().getResumeToken().toJson().replaceAll("\\s", "");
        }
        for (int i = 1; i <= 15; i++) {
            database.getCollection("events").insertOne(new Document("_id", i).append("t", "x".repeat(1_000_000)));
        }
        var resumed = stream.replace("#", "0") + "&resumeAfter=" + URLEncoder.encode(token, StandardCharsets.UTF_8);
        try (var open = new Opened<Socket>()) {
            for (int i = 0; i < LISTENERS; i++) {
                open.add(begin(new Way("", "GET", resumed, "", 0, "accept", "text/event-stream"), 0, 4_096));
                open.add(begin(new Way("", "GET", stream, "", 0, "accept", "text/event-stream"), i + 1, 4_096));
                open.add(begin(subscribing, 0, 4_096));
            }
            var statuses = new ConcurrentSkipListMap<String, Integer>();
            for (var socket : open.all()) {
                var line = new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
                statuses.merge(line, 1, Integer::sum);
            }
            // they search for what they have missed one after the other: on a busy machine the last wait too long
            assertThat(statuses.keySet()).isSubsetOf("HTTP/1.1 200", "HTTP/1.1 503");
            assertThat(statuses.get("HTTP/1.1 200")).as(statuses.toString()).isGreaterThan(LISTENERS);
            for (int i = 0; i < 2; i++) {
                database.getCollection("events").insertOne(new Document("t", "y".repeat(HUGE)));
            }
            awaitPing();
        }
        // whoever reads gets all, if not at once: streams end while memory is short, and clients resume
        var reading = new Way("", "GET", resumed, "", 0, "accept", "text/event-stream");
        Patience.within(Duration.ofSeconds(30))
                .ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> {
                    try (var reader = begin(reading, 0, 64 << 10)) {
                        return reader.getInputStream().readNBytes(15_000_000).length == 15_000_000;
                    }
                });
        awaitPing();
    }

    /// Each reads every event as text, and shortens it.
    @Test
    void large_events_of_many_assistants() throws Exception {
        var events = mongo.database().getCollection("watched");
        mongo.database()
                .getCollection("_properties")
                .insertOne(Document.parse("{_id: '_properties.watched', streams: [{uri: 'all', stages: []}]}"));
        var watch = "{\"jsonrpc\": \"2.0\", \"id\": 7, \"method\": \"tools/call\", \"params\": {\"name\": \"watch\","
                + " \"arguments\": {\"database\": \"$db\", \"collection\": \"watched\", \"stream\": \"all\","
                + " \"max-events\": 3, \"max-seconds\": 50}}}";
        var way = new Way("watch", "POST", "/_mcp", watch, 0, "content-type", "application/json");
        events.insertOne(new Document());
        var statuses = new ConcurrentSkipListMap<Integer, Integer>();
        var left = new AtomicInteger(LISTENERS);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < LISTENERS; i++) {
                threads.submit(() -> {
                    statuses.merge(exchange(way, 0), 1, Integer::sum);
                    return left.decrementAndGet();
                });
            }
            Patience.within(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofSeconds(1))
                    .until(() -> {
                        events.insertOne(new Document("t", "y".repeat(HUGE)));
                        return left.get() == 0 || !process.isAlive();
                    });
        }
        assertThat(process.isAlive()).as(this::ending).isTrue();
        assertThat(statuses.keySet()).as(statuses.toString()).isSubsetOf(200, 503);
        awaitPing();
    }

    /// A reply may be large; but MongoDB needs a minute for each of these, and the queries of others do not
    /// wait for it.
    @Test
    void slow_queries_of_small_results_do_not_wait_for_each_other() throws Exception {
        var admin = mongo.client().getDatabase("admin");
        var slow = new Document("ns", new Document("$regex", "^" + mongo.databaseName() + "\\.small"))
                .append("command.filter.$where", new Document("$exists", true));
        var stages = List.of(new Document("$currentOp", new Document()), new Document("$match", slow));
        try (var open = new Opened<Socket>()) {
            for (int i = 0; i < SLOW_QUERIES; i++) {
                open.add(begin(
                        new Way("", "GET", "/small" + i + "?filter=%7B%22%24where%22%3A%22sleep(60000)%22%7D", "", 0),
                        0,
                        4_096));
            }
            Patience.within(Duration.ofSeconds(30))
                    .until(() -> admin.aggregate(stages).into(new ArrayList<>()).size(), is(SLOW_QUERIES));
            Patience.within(Duration.ofSeconds(20)).until(() -> status("/medium?pagesize=1"), is(200));
        } finally {
            admin.aggregate(stages)
                    .forEach(operation ->
                            admin.runCommand(new Document("killOp", 1).append("op", operation.get("opid"))));
        }
    }
}
