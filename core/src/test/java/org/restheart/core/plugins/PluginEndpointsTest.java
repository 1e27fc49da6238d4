package org.restheart.core.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.restheart.core.Gateway;
import org.restheart.core.config.ConfigException;
import org.restheart.core.config.Configuration;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.config.Sources;
import org.restheart.core.security.LogLines;
import org.restheart.core.server.StartException;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// What plugins do beside the data: endpoints, work at the start and in the background, objects for others.
@WithMongo
class PluginEndpointsTest {
    private final TestMongo mongo;
    private final PluginFolder plugins;

    PluginEndpointsTest(TestMongo mongo, @TempDir Path directory) {
        this.mongo = mongo;
        this.plugins = new PluginFolder(directory.resolve("plugins"));
    }

    private static TestClient client(Gateway gateway) {
        return TestClient.of(gateway.address());
    }

    private static TestClient admin(Gateway gateway) {
        return client(gateway).as("admin", "secret");
    }

    @Test
    void an_endpoint_beside_the_data() {
        plugins.plugin("greeter", """
            public void install(Installation to) {
                var greeting = to.settings().text("greeting", "Hello");
                to.serve(request -> Response.json(200, "{\\"msg\\": \\"" + greeting + " "
                        + request.query().first("name").orElse("you") + "\\"}"), ServicePath.of("/hello").open());
            }
            """);
        try (var gateway = plugins.start(mongo, "greeter: {greeting: Ciao}")) {
            var answer = client(gateway).get("/hello?name=Ann");
            assertStatus(200, answer);
            assertThat(answer.body()).isEqualTo("{\"msg\": \"Ciao Ann\"}");
            assertThat(answer.headers().firstValue("Access-Control-Allow-Origin"))
                    .isPresent();
            assertStatus(200, client(gateway).send("HEAD", "/hello", ""));
            assertStatus(200, client(gateway).send("OPTIONS", "/hello", ""));
        }
        try (var gateway = plugins.start(mongo, "greeter: {uri: /hi, secured: true}")) {
            assertStatus(401, client(gateway).get("/hi"));
            assertThat(admin(gateway).get("/hi").body()).isEqualTo("{\"msg\": \"Hello you\"}");
            assertStatus(403, client(gateway).as("ann", "secret").get("/hi"));
        }
        try (var gateway = plugins.start(mongo, "greeter: {enabled: false}")) {
            assertStatus(404, admin(gateway).get("/hello"));
        }
    }

    @Test
    void an_endpoint_takes_the_place_of_the_service_that_its_block_names() {
        plugins.plugin("pong", """
            public void install(Installation to) {
                to.serve(_ -> Response.json(200, "\\"pong\\""), ServicePath.of("/ping").open());
            }
            """);
        for (var block : List.of("", "pong: {replaces: roles}")) {
            assertThatThrownBy(() -> plugins.start(mongo, block).close())
                    .isInstanceOf(StartException.class)
                    .hasMessageContaining("/pong/replaces: ping");
        }
        try (var gateway = plugins.start(mongo, "pong: {replaces: ping}")) {
            assertThat(client(gateway).get("/ping").body()).isEqualTo("\"pong\"");
        }
    }

    @Test
    void an_endpoint_reads_data_as_its_caller_may() {
        mongo.database().getCollection("orders").insertOne(new Document("_id", "a").append("dept", 7));
        mongo.database().getCollection("orders").insertOne(new Document("_id", "b").append("dept", 8));
        plugins.plugin("count", """
            public void install(Installation to) {
                to.serve(request -> {
                    var size = JudgedRequest.of(Method.GET, RequestPath.parse("/%s/orders/_size"), Query.NONE, Via.REST);
                    return to.data().make(request, size);
                }, ServicePath.of("/count"));
            }
            """.formatted(mongo.databaseName()));
        try (var gateway = plugins.start(mongo, "", """
            - {role: user, predicate: path-prefix('/'), mongo: {readFilter: {dept: 7}}}
            """, "")) {
            assertThat(admin(gateway).get("/count").body()).contains("\"_size\": 2");
            assertThat(client(gateway).as("ann", "secret").get("/count").body()).contains("\"_size\": 1");
        }
    }

    @Test
    void a_write_is_answered_with_the_new_document() {
        plugins.plugin("counter", """
            public void install(Installation to) {
                to.requests(Selector.data().collections("%s/counters").methods(Method.PATCH), (request, next) -> {
                    var answer = next.handle(request);
                    return answer.status() < 300 ? next.handle(request.with(Method.GET).with(Body.EMPTY)) : answer;
                });
            }
            """.formatted(mongo.databaseName()));
        var counter = "/" + mongo.databaseName() + "/counters/visits";
        mongo.database().getCollection("counters").insertOne(new Document("_id", "visits").append("n", 1));
        try (var gateway = plugins.start(mongo, "")) {
            var admin = TestClient.of(gateway.address()).as("admin", "secret");
            var answer = admin.patch(counter, "{\"$inc\": {\"n\": 1}}");
            assertStatus(200, answer);
            assertThat(answer.body()).contains("\"n\": 2");
        }
    }

    @Test
    void numbers_are_counted_and_returned_at_once() {
        plugins.plugin("numbers", """
            public void install(Installation to) {
                var numbers = to.mongo().orElseThrow().getDatabase("%s").getCollection("numbers");
                to.serve(request -> Response.json(200, "" + numbers.findOneAndUpdate(
                        new org.bson.Document("_id", "orders"), new org.bson.Document("$inc", new org.bson.Document("n", 1)),
                        new com.mongodb.client.model.FindOneAndUpdateOptions()
                                .returnDocument(com.mongodb.client.model.ReturnDocument.AFTER)).getInteger("n")),
                        ServicePath.of("/number"));
            }
            """.formatted(mongo.databaseName()));
        mongo.database().getCollection("numbers").drop();
        mongo.database().getCollection("numbers").insertOne(new Document("_id", "orders").append("n", 0));
        try (var gateway = plugins.start(mongo, "")) {
            var numbers = IntStream.range(0, 100)
                    .mapToObj(_ -> admin(gateway).sendAsync("POST", "/number", ""))
                    .toList();
            assertThat(numbers.stream().map(answer -> answer.join().body()))
                    .containsExactlyInAnyOrderElementsOf(IntStream.rangeClosed(1, 100)
                            .mapToObj(String::valueOf)
                            .toList());
            assertStatus(403, client(gateway).as("ann", "secret").post("/number", ""));
        }
    }

    /// And which of them are open: the others are not, unless they say so.
    @Test
    void the_start_says_what_plugins_add() {
        plugins.plugin("parts", """
            public void install(Installation to) {
                to.serve(_ -> Response.status(204), ServicePath.of("/one").open());
                to.serve(_ -> Response.status(204), ServicePath.of("/two"));
                to.requests(Selector.all(), (request, next) -> next.handle(request));
                to.operations(Selector.data().priority(3), (request, target) -> Verdict.allow());
                to.veto((request, account) -> false);
            }
            """);
        try (var log = new LogLines();
                var gateway = plugins.start(mongo, "")) {
            assertThat(log.all())
                    .contains("INFO Plugin parts of parts.jar: /one (open), /two, requests of all (10),"
                            + " operations of data (3), veto");
            assertStatus(204, client(gateway).get("/one"));
            assertStatus(401, client(gateway).get("/two"));
        }
    }

    @Test
    void the_start_says_versions_and_services_that_are_not_there_and_the_log_each_step() {
        plugins.jar("versions.jar", Map.of("Implementation-Version", "1.2"), """
            public class Versions implements Plugin {
                public String name() { return "versions"; }
                public void install(Installation to) {
                    to.requests(Selector.services("pign", "ping"), (request, next) -> next.handle(request).with("X-Id", request.id()));
                }
            }
            """);
        try (var log = new LogLines();
                var gateway = plugins.start(mongo, "")) {
            var id = client(gateway).get("/ping").headers().firstValue("X-Id").orElseThrow();
            assertThat(log.all())
                    .contains(
                            "INFO Plugin versions 1.2 of versions.jar: requests of all (10)",
                            "WARN Plugin versions selects the service pign, which is off or does not exist; did you"
                                    + " mean ping?")
                    .anyMatch(line ->
                            line.startsWith("DEBUG request " + id + " was in the interceptor of plugin versions for "));
        }
    }

    @Test
    void an_endpoint_reads_json_and_refuses_what_is_none() {
        plugins.plugin("reads", """
            public void install(Installation to) {
                to.serve(request -> Response.json(200, "{\\"n\\": " + request.body().json(20).getInt32("n").getValue() + "}"),
                        ServicePath.of("/reads").open());
            }
            """);
        try (var gateway = plugins.start(mongo, "")) {
            assertThat(client(gateway).post("/reads", "{\"n\": 3}").body()).isEqualTo("{\"n\": 3}");
            assertStatus(400, client(gateway).post("/reads", "{\"n\": "));
            assertStatus(400, client(gateway).post("/reads", "[3]"));
            assertStatus(413, client(gateway).post("/reads", "{\"n\": 3, \"m\": \"0123456789\"}"));
        }
    }

    /// Blocks of the existing product have the former name of the key.
    @Test
    void an_endpoint_that_is_open_is_secured_by_either_name_of_the_key() {
        plugins.plugin("one", """
            public void install(Installation to) { to.serve(_ -> Response.status(204), ServicePath.of("/one").open()); }
            """);
        for (var secured : List.of("secured: true", "secure: true", "secured: true, secure: false")) {
            try (var log = new LogLines();
                    var gateway = plugins.start(mongo, "one: {" + secured + "}")) {
                assertStatus(401, client(gateway).get("/one"));
                assertThat(log.all())
                        .filteredOn(line -> line.startsWith("WARN /one/secure is read as \"secured\""))
                        .hasSize(secured.contains("secure:") ? 1 : 0);
            }
        }
    }

    @Test
    void a_plugin_sees_its_own_block_and_says_no_secrets() {
        plugins.plugin("own", """
            public void install(Installation to) {
                to.settings().text("password", "");
                to.serve(request -> Response.json(200, new BsonDocument("other", new BsonString(to.settings().block("other").text("key", "nothing")))
                        .append("settings", new BsonString("" + to.settings())).append("request", new BsonString(request + " " + request.headers()))
                                .append("response", new BsonString("" + Response.status(204).with("Auth-Token", "s3token"))).toJson()),
                        ServicePath.of("/own"));
            }
            """);
        try (var gateway = plugins.start(mongo, "own: {password: s3same}\nother: {key: s3other}")) {
            var answer = admin(gateway).get("/own");
            assertStatus(200, answer);
            assertThat(answer.body())
                    .contains("\"other\": \"nothing\"")
                    .doesNotContain("s3same", "s3other", "s3token", TestClient.basic("admin", "secret"));
        }
    }

    @Test
    void metrics_of_a_plugin_and_of_its_parts() {
        plugins.plugin("usage", """
            public void install(Installation to) {
                to.meters().gauge("usage_depth", () -> 7, "queue", "a");
                to.serve(request -> {
                    if (request.query().has("bug")) throw new IllegalStateException();
                    for (int i = 0; i < 1_100; i++) to.meters().count("usage_calls", "user", "u" + i);
                    to.meters().time("usage_work", Duration.ofSeconds(2));
                    return Response.status(204);
                }, ServicePath.of("/usage").open());
            }
            """);
        try (var gateway = plugins.start(mongo, "")) {
            assertStatus(204, client(gateway).get("/usage"));
            assertStatus(500, client(gateway).get("/usage?bug"));
            assertThat(admin(gateway).get("/metrics/plugins").body())
                    .contains(
                            "usage_depth{plugin=\"usage\",queue=\"a\"} 7",
                            "usage_calls_total{plugin=\"usage\",user=\"u1\"} 1",
                            "usage_work_seconds_sum{plugin=\"usage\"} 2",
                            "plugin_duration_seconds{component=\"service\",plugin=\"usage\",quantile=\"0.99\"}",
                            "plugin_duration_seconds_count{component=\"service\",plugin=\"usage\"} 2",
                            "plugin_failures_total{component=\"service\",plugin=\"usage\"} 1")
                    .containsPattern("usage_calls_total\\{plugin=\"usage\",user=\"_other\"} 10[0-9]")
                    .doesNotContain("u1099");
        }
    }

    @Test
    void server_sent_events_of_its_own() throws IOException {
        plugins.plugin("clock", """
            public void install(Installation to) {
                var ended = new java.util.concurrent.atomic.AtomicInteger();
                to.serve(_ -> Response.json(200, "" + ended), ServicePath.of("/ended").open());
                to.serve(request -> {
                    var backlog = new org.restheart.http.push.Backlog(10, 1000);
                    backlog.offer(org.restheart.http.push.Frame.event("1", "tick",
                            java.nio.ByteBuffer.wrap("noon".getBytes(StandardCharsets.UTF_8)), 0));
                    return EventStream.head().with(new Content.Push(new org.restheart.http.push.Subscription(
                            org.restheart.http.push.Transport.SSE, backlog, Duration.ZERO, _ -> {}, ended::incrementAndGet)));
                }, ServicePath.of("/clock"));
            }
            """);
        try (var gateway = plugins.start(mongo, "");
                var events = new BufferedReader(new InputStreamReader(
                        admin(gateway).open("GET", "/clock", "").body(), StandardCharsets.UTF_8))) {
            assertThat(events.readLine()).isEqualTo("id:1");
            assertThat(events.readLine()).isEqualTo("event:tick");
            assertThat(events.readLine()).isEqualTo("data:noon");
            var head = admin(gateway).send("HEAD", "/clock", "");
            assertStatus(200, head);
            await().until(() -> client(gateway).get("/ended").body().equals("1")); // it has opened nothing
        }
    }

    @Test
    void work_at_the_start_and_in_the_background() {
        plugins.plugin("setup", """
            public void install(Installation to) {
                var orders = to.mongo().orElseThrow().getDatabase("%s").getCollection("setup");
                orders.createIndex(new org.bson.Document("email", 1));
                to.mongo().orElseThrow().close();
                to.background("beat", Duration.ofMillis(20), () -> {
                    orders.insertOne(new org.bson.Document());
                    throw new IllegalStateException("ends this run only");
                });
                to.background("once", Duration.ZERO, () -> orders.insertOne(new org.bson.Document("_id", "once")));
            }
            """.formatted(mongo.databaseName()));
        var setup = mongo.database().getCollection("setup");
        try (var gateway = plugins.start(mongo, "")) {
            assertThat(setup.listIndexes()).hasSize(2);
            await().until(() -> setup.countDocuments() > 4);
            assertThat(setup.countDocuments(new Document("_id", "once"))).isOne();
            assertStatus(200, admin(gateway).get("/" + mongo.databaseName() + "/setup"));
        }
        long end = setup.countDocuments();
        assertThat(setup.countDocuments()).isEqualTo(end);
    }

    @Test
    void objects_for_other_plugins_by_a_type_that_both_know() {
        plugins.with(plugins.jar("lib/mail.jar", Map.of(), "public interface Mail { String send(String to); }"));
        plugins.plugin("zmail", """
            public void install(Installation to) { to.provide(Mail.class, name -> "sent to " + name); }
            """);
        plugins.plugin("asign", """
            public Set<String> after() { return Set.of("zmail"); }
            public void install(Installation to) {
                var mail = to.find(Mail.class).orElseThrow();
                to.serve(request -> Response.json(200, "{\\"m\\": \\"" + mail.send("ann") + "\\"}"), ServicePath.of("/sign").open());
            }
            """);
        plugins.plugin("stranger", """
            public void install(Installation to) {
                if (to.find(Mail.class).isPresent()) throw new IllegalStateException("it has not asked for it");
            }
            """);
        try (var gateway = plugins.start(mongo, "")) {
            assertThat(client(gateway).get("/sign").body()).contains("sent to ann");
        }
    }

    @Test
    void overrides_configure_a_plugin_where_there_is_no_file_and_find_one_that_is_misspelt() {
        plugins.plugin("greeter", """
            public void install(Installation to) {
                var greeting = to.settings().text("greeting", "Hello");
                to.serve(_ -> Response.json(200, "{\\"msg\\": \\"" + greeting + "\\"}"), ServicePath.of("/hello").open());
            }
            """);
        try (var gateway = Gateway.start(overridden("/greeter/greeting->'Ciao'"))) {
            assertThat(client(gateway).get("/hello").body()).contains("Ciao");
        }
        var misspelt = overridden("/greter/greeting->'Ciao'");
        assertThatThrownBy(() -> Gateway.start(misspelt).close())
                .isInstanceOf(ConfigException.class)
                .hasMessageContainingAll("/greter is not known", "greeter?");
    }

    /// The built-in configuration with these overrides.
    private GatewayConfig overridden(String more) {
        var overrides = """
            /core/plugins-directory->'%s'; /http-listener/port->0; /mclient/connection-string->'%s';
            /mongoRealmAuthenticator/create-user->false; %s
            """.formatted(plugins.path(), mongo.connectionString(), more);
        var sources =
                new Sources(false, Optional.empty(), Optional.empty(), Optional.of(overrides), Map.of(), Map.of());
        return Configuration.load(sources).read().orThrow();
    }
}
