package org.restheart.perftest.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Vector;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.Document;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.restheart.perftest.measure.CpuWatch;
import org.restheart.perftest.measure.Recording;
import org.restheart.perftest.worker.Task;
import org.restheart.perftest.worker.Worker;
import org.restheart.perftest.workload.Namespace;
import org.restheart.perftest.workload.Window;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;
import site.ycsb.ByteIterator;
import site.ycsb.StringByteIterator;

@WithMongo
class YcsbTest {
    private static final int RECORDS = 300;

    private final TestMongo mongo;
    private final Namespace table;

    YcsbTest(TestMongo mongo) {
        this.mongo = mongo;
        this.table = new Namespace(mongo.databaseName(), "usertable");
    }

    @ParameterizedTest
    @EnumSource
    void every_workload_runs_over_the_driver(YcsbWorkload workload) throws Exception {
        var measured = load(workload, new YcsbBinding.Driver(mongo.connectionString(), 2))
                .run(new Recording(new CpuWatch(Map.of()).alsoThisProcess("test")));
        assertThat(measured.errors()).isEmpty();
        assertThat(measured.operations()).isEqualTo(100);
    }

    @ParameterizedTest
    @EnumSource
    void every_workload_runs_over_the_reactive_driver(YcsbWorkload workload) throws Exception {
        var libraries = "target/lib-reactive/*:" + System.getProperty("java.class.path");
        try (var worker = Worker.start(libraries, List.of("-Xmx128m"), _ -> {})) {
            var measured = worker.run(
                    new Task.Ycsb(load(workload, new YcsbBinding.Reactive(mongo.connectionString(), 2)), Map.of()));
            assertThat(measured.errors()).isEmpty();
            assertThat(measured.operations()).isEqualTo(100);
        }
    }

    private YcsbLoad load(YcsbWorkload workload, YcsbBinding binding) {
        YcsbTable.load(mongo.connectionString(), table, RECORDS);
        return new YcsbLoad(workload, binding, table, RECORDS, 4, new Window(0, 30_000, 100), 42);
    }

    @Test
    void the_table_has_ten_fields_of_a_hundred_bytes() {
        YcsbTable.load(mongo.connectionString(), table, RECORDS);
        var collection = mongo.database().getCollection(table.collection());
        assertThat(collection.countDocuments()).isEqualTo(RECORDS);
        var document = new Document(collection.find().first());
        assertThat(document.keySet().stream().filter(name -> name.startsWith("field")))
                .hasSize(10);
        assertThat(document.getString("field3")).hasSize(100);
    }

    @Test
    void http_says_in_rest_what_the_driver_says_in_commands() throws Exception {
        var requests = new ConcurrentLinkedQueue<String>();
        var answers = Map.of(
                "GET /db/t/user1", "{\"_id\":\"user1\",\"field0\":\"a\\\"b\"}",
                "GET /db/t", "[{\"_id\":\"user1\",\"field0\":\"x\"},{\"_id\":\"user2\",\"field0\":\"y\"}]");
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newSingleThreadExecutor());
        server.createContext("/", exchange -> {
            var path =
                    exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath();
            var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " " + body);
            var known = answers.getOrDefault(path, "").getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(path.endsWith("missing") ? 404 : 200, known.length == 0 ? -1 : 0);
            exchange.getResponseBody().write(known);
            exchange.close();
        });
        server.start();
        var pool = new HttpPool(server.getAddress(), "admin:secret", 1);
        try {
            var db = new HttpDb(pool, "db", false);
            var read = new HashMap<String, ByteIterator>();
            assertThat(db.read("t", "user1", null, read).isOk()).isTrue();
            assertThat(read.get("field0")).hasToString("a\"b");
            var scanned = new Vector<HashMap<String, ByteIterator>>();
            assertThat(db.scan("t", "user1", 7, null, scanned).isOk()).isTrue();
            assertThat(scanned).hasSize(2);
            Map<String, ByteIterator> values = Map.of("field1", new StringByteIterator("q\"uote"));
            assertThat(db.update("t", "user1", values).isOk()).isTrue();
            assertThat(db.insert("t", "user3", Map.of("field1", new StringByteIterator("é")))
                            .isOk())
                    .isTrue();
            assertThat(db.update("t", "missing", Map.of()).getName()).isEqualTo("HTTP 404");
        } finally {
            pool.close();
            server.stop(0);
        }
        assertThat(List.copyOf(requests).subList(0, 4))
                .containsExactly(
                        "GET /db/t/user1 ",
                        "GET /db/t?filter=%7B%22_id%22%3A%7B%22%24gte%22%3A%22user1%22%7D%7D&sort=%7B%22_id%22%3A1%7D&pagesize=7 ",
                        "PATCH /db/t/user1 {\"field1\":\"q\\\"uote\"}",
                        "PUT /db/t/user3?wm=insert {\"field1\":\"é\"}");
    }

    @Test
    void splitsBsonDocumentsThatFollowEachOther() {
        var body = new ByteArrayOutputStream();
        for (var key : List.of("user1", "user2")) {
            var buffer = new RawBsonDocument(new BsonDocument("_id", new BsonString(key)), new BsonDocumentCodec())
                    .getByteBuffer()
                    .asNIO();
            body.write(buffer.array(), buffer.arrayOffset() + buffer.position(), buffer.remaining());
        }
        var keys = new ArrayList<String>();
        Values.ofBson(
                body.toByteArray(),
                values -> keys.add(values.byName().get("_id").toString()));
        assertThat(keys).containsExactly("user1", "user2");
    }
}
