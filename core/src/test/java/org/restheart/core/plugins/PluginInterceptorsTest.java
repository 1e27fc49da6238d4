package org.restheart.core.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.Document;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.Gateway;
import org.restheart.core.security.LogLines;
import org.restheart.http.Content;
import org.restheart.http.Lease;
import org.restheart.http.Method;
import org.restheart.http.Response;
import org.restheart.plugin.Selector;
import org.restheart.plugin.Verdict;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.TestRequests;
import org.restheart.testkit.WithMongo;

/// What plugins do with requests, with operations on data, and after them.
@WithMongo
class PluginInterceptorsTest {
    /// For the account `ann`.
    private static final String MAY_ALL = """
        - {role: user, predicate: path-prefix('/'), mongo: {allowBulkPatch: true, allowWriteMode: true}}
        """;

    private final TestMongo mongo;
    private final PluginFolder plugins;
    private final String orders;

    PluginInterceptorsTest(TestMongo mongo, @TempDir Path directory) {
        this.mongo = mongo;
        this.plugins = new PluginFolder(directory.resolve("plugins"));
        this.orders = "/" + mongo.databaseName() + "/orders";
    }

    @BeforeEach
    void threeOrders() {
        stored().deleteMany(new Document());
        stored().insertMany(List.of(
                new Document("_id", "a").append("dept", 7).append("price", 10),
                new Document("_id", "b").append("dept", 8).append("price", 20),
                new Document("_id", "c").append("dept", 7).append("price", 30)));
    }

    private MongoCollection<Document> stored() {
        return mongo.database().getCollection("orders");
    }

    private static TestClient admin(Gateway gateway) {
        return TestClient.of(gateway.address()).as("admin", "secret");
    }

    private static TestClient ann(Gateway gateway) {
        return TestClient.of(gateway.address()).as("ann", "secret");
    }

    /// A plugin with one operation interceptor for the orders.
    private void judging(String body) {
        plugins.plugin("judge", """
            public void install(Installation to) {
                to.operations(Selector.data().collections("%s/orders"), (request, target) -> { %s });
            }
            """.formatted(mongo.databaseName(), body));
    }

    @Test
    void requests_are_changed_before_they_are_judged_headers_as_parameters() {
        plugins.plugin("headers", """
            public void install(Installation to) {
                to.requests(Selector.data(), (request, next) -> next.handle(request.headers().first("X-Filter")
                        .map(filter -> request.with(Query.of(Map.of("filter", filter)))).orElse(request)));
            }
            """);
        try (var gateway = plugins.start(mongo, "", """
            - {role: user, predicate: "path-prefix('/') and qparams-blacklist(filter)"}
            """, "")) {
            var answer = admin(gateway).with("X-Filter", "{\"dept\": 8}").get(orders);
            assertThat(answer.body()).contains("\"b\"").doesNotContain("\"a\"");
            assertStatus(200, ann(gateway).get(orders));
            assertStatus(403, ann(gateway).with("X-Filter", "{\"dept\": 8}").get(orders));
        }
    }

    @Test
    void a_wire_format_of_its_own_both_ways() {
        plugins.plugin("wire", """
            public void install(Installation to) {
                to.requests(Selector.data().when(request -> request.headers().first("Content-Type").filter("text/x"::equals).isPresent()),
                        (request, next) -> {
                            var text = new String(request.body().bytes(), StandardCharsets.UTF_8);
                            var json = ("{\\"_id\\": \\"" + text + "\\"}").getBytes(StandardCharsets.UTF_8);
                            var answer = next.handle(request.with(Body.of(json)).with(request.headers().with("Content-Type", "application/json")));
                            return Response.status(answer.status()).with("text/x", Content.Bytes.small("done".getBytes(StandardCharsets.UTF_8)));
                        });
            }
            """);
        try (var gateway = plugins.start(mongo, "")) {
            var answer = admin(gateway).with("Content-Type", "text/x").send("POST", orders, "wired");
            assertStatus(201, answer);
            assertThat(answer.body()).isEqualTo("done");
            assertThat(stored().countDocuments(Filters.eq("wired"))).isOne();
        }
    }

    @Test
    void answers_with_data_are_changed_cards_are_masked() {
        stored().insertOne(new Document("_id", "card").append("card", "1234123412341234"));
        plugins.plugin("mask", """
            public void install(Installation to) {
                to.requests(Selector.data().methods(Method.GET), (request, next) -> {
                    var answer = next.handle(request);
                    if (answer.status() != 200) return answer;
                    try (var in = Content.stream(answer.content())) {
                        var text = new String(in.readAllBytes(), StandardCharsets.UTF_8).replaceAll("[0-9]{12}([0-9]{4})", "****$1");
                        return answer.with(Content.Bytes.of(text.getBytes(StandardCharsets.UTF_8), request.lease()));
                    }
                });
            }
            """);
        try (var gateway = plugins.start(mongo, "")) {
            for (var path : List.of(orders + "/card", orders, orders + "?rep=HAL")) {
                var answer = admin(gateway).get(path);
                assertStatus(200, answer);
                assertThat(answer.body()).contains("****1234").doesNotContain("1234123412341234");
                var head = admin(gateway).send("HEAD", path, "");
                assertStatus(200, head);
                for (var name : List.of("Content-Length", "Content-Type", "ETag")) {
                    assertThat(head.headers().allValues(name))
                            .isEqualTo(answer.headers().allValues(name));
                }
            }
        }
    }

    /// A plugin with one transform of the orders, which masks the price and says who reads.
    private void transforming(String more) {
        plugins.plugin("mask", """
            public void install(Installation to) {
                to.documents(Selector.data().collections("%s/orders"), (document, request) -> {
                    %s
                    document.remove("price");
                    return document.append("reader", new BsonString(request.caller().account().orElseThrow().name()));
                });
            }
            """.formatted(mongo.databaseName(), more));
    }

    @Test
    void documents_are_changed_on_their_way_out_in_every_form() {
        transforming("");
        relateOrders();
        try (var gateway = plugins.start(mongo, "", MAY_ALL, "")) {
            for (var path : List.of(
                    "",
                    "/a",
                    "?rep=HAL",
                    "?rep=SHAL",
                    "/a?rep=HAL",
                    "?filter=%7B%22price%22:10%7D&sort=price",
                    "?embed=same",
                    "/a?embed=same",
                    "/_aggrs/all",
                    "/_aggrs/all?rep=HAL")) {
                assertChanged(gateway, path, "application/json");
            }
            for (var type : List.of("application/x-ndjson", "application/bson", "text/csv")) {
                for (var path : List.of("", "?page=1", "/a")) {
                    assertChanged(gateway, path, type);
                }
            }
        }
    }

    @Test
    void equal_requests_at_a_time_are_shown_documents_as_each_of_them_is() {
        transforming("");
        try (var gateway = plugins.start(mongo, "", MAY_ALL, "")) {
            for (var path : List.of("/a", "?page=1")) {
                var answers = IntStream.range(0, 100)
                        .mapToObj(i -> (i % 2 == 0 ? admin(gateway) : ann(gateway)).sendAsync("GET", orders + path, ""))
                        .toList();
                for (int i = 0; i < answers.size(); i++) {
                    assertThat(answers.get(i).join().body())
                            .contains(i % 2 == 0 ? "admin" : "ann")
                            .doesNotContain(i % 2 == 0 ? "ann" : "admin", "price");
                }
            }
        }
    }

    private void assertChanged(Gateway gateway, String path, String accept) {
        for (var name : List.of("admin", "ann")) {
            var client = TestClient.of(gateway.address()).as(name, "secret").with("Accept", accept);
            var answer = client.get(orders + path);
            assertStatus(200, answer);
            assertThat(answer.body())
                    .as(path + " " + accept)
                    .contains("reader", name)
                    .doesNotContain("price");
            boolean isTagOfDocument = path.startsWith("/a");
            answer.headers()
                    .firstValue("ETag")
                    .ifPresent(tag -> assertStatus(
                            isTagOfDocument ? 200 : 304,
                            client.with("If-None-Match", tag).get(orders + path)));
        }
    }

    @Test
    void documents_of_many_values_are_changed_too_also_embedded_and_for_other_services() {
        transforming("");
        relateOrders();
        stored().updateMany(
                        new Document(),
                        new Document(
                                "$set",
                                new Document(
                                        "many",
                                        IntStream.range(0, 10_000).boxed().toList())));
        try (var gateway = plugins.start(mongo, "", MAY_ALL, "dataApi: {enabled: true}")) {
            for (var path : List.of("", "/a", "?rep=HAL", "?embed=same", "/a?embed=same", "/_aggrs/all")) {
                assertChanged(gateway, path, "application/json");
            }
            var found = admin(gateway)
                    .with("Content-Type", "application/json")
                    .post("/app/any/endpoint/data/v1/action/find", """
                    {"dataSource": "any", "database": "%s", "collection": "orders", "filter": {}}
                    """.formatted(mongo.databaseName()));
            assertThat(found.body()).contains("reader").doesNotContain("price");
        }
    }

    private void relateOrders() {
        var properties = mongo.database().getCollection("_properties");
        properties.deleteMany(new Document());
        properties.insertOne(Document.parse("""
            {_id: "_properties.orders",
             rels: [{rel: "same", type: "ONE_TO_MANY", role: "INVERSE", "target-coll": "orders", "ref-field": "dept"}],
             aggrs: [{uri: "all", type: "pipeline", stages: [{_$match: {dept: 7}}]}],
             streams: [{uri: "all", stages: []}]}
            """));
        stored().updateMany(new Document(), new Document("$set", new Document("_etag", new ObjectId())));
        stored().insertOne(new Document("_id", "d").append("dept", "a").append("price", 40));
    }

    @Test
    void documents_are_changed_for_other_services_too_or_refused() {
        transforming("");
        relateOrders();
        var db = mongo.databaseName();
        try (var gateway = plugins.start(
                mongo,
                "",
                "- {role: user, predicate: path-prefix('/'), mongo: {allowAdHocAggregations: true}}",
                "dataApi: {enabled: true}\ngraphql: {db: %s, collection: apps}".formatted(db))) {
            var admin = admin(gateway);
            var found = admin.with("Content-Type", "application/json")
                    .post("/app/any/endpoint/data/v1/action/find", """
                    {"dataSource": "any", "database": "%s", "collection": "orders", "filter": {}}
                    """.formatted(db));
            assertThat(found.body()).contains("reader").doesNotContain("price");
            var piped = ann(gateway).post(orders + "/_aggrs", "{\"stages\": [{\"$match\": {\"dept\": 7}}]}");
            assertThat(piped.body()).contains("reader").doesNotContain("price");
            var stream = admin.with("Accept", "text/event-stream").get(orders + "/_streams/all");
            assertStatus(403, stream);
            assertThat(stream.body()).contains("a plugin changes the documents");
            var violations = admin.get(orders + "/_violations");
            assertStatus(403, violations);
            assertThat(violations.body()).contains("a plugin changes the documents");
            admin.send("PUT", "/" + db + "/apps", "");
            admin.send("PUT", "/" + db + "/apps/prices?wm=upsert", """
                    {"descriptor": {"name": "prices", "uri": "prices", "enabled": true},
                     "schema": "type Order { price: Int } type Query { orders: [Order] }",
                     "mappings": {"Query": {"orders": {"db": "%s", "collection": "orders", "as": "caller"}}}}
                    """.formatted(db));
            assertThat(admin.post("/graphql/prices", "{\"query\": \"{orders {price}}\"}")
                            .body())
                    .contains("are changed before they are sent")
                    .doesNotContain("10");
        }
    }

    @Test
    void events_of_streams_are_changed() throws IOException {
        relateOrders();
        plugins.plugin("mask", """
            static org.restheart.http.push.Subscription masked(org.restheart.http.push.Subscription events) {
                var from = events.backlog();
                var to = from.another();
                var tasks = new SerialTasks("plugin mask");
                from.connect(() -> tasks.execute(() -> {
                    for (var frame = from.take(); frame != null; frame = from.take()) {
                        var text = StandardCharsets.UTF_8.decode(frame.bytes().duplicate()).toString();
                        to.offer(new org.restheart.http.push.Frame(
                                StandardCharsets.UTF_8.encode(text.replaceAll("price\\\": ?[0-9]+", "price\\\": null")), frame.since()));
                    }
                    from.ending().ifPresent(to::end);
                }));
                return new org.restheart.http.push.Subscription(events.transport(), to, events.keepAlive(), events.onSent(),
                        () -> { from.abandon(); events.onGone().run(); }, events.inbound(), events.position());
            }
            public void install(Installation to) {
                to.requests(Selector.data().when(request -> request.path().decoded().contains("/_streams/")), (request, next) -> {
                    var answer = next.handle(request);
                    return answer.content() instanceof Content.Push(var events) ? answer.with(new Content.Push(masked(events))) : answer;
                });
            }
            """);
        try (var gateway = plugins.start(mongo, "");
                var events = new BufferedReader(new InputStreamReader(
                        admin(gateway)
                                .with("Accept", "text/event-stream")
                                .open("GET", orders + "/_streams/all", "")
                                .body(),
                        StandardCharsets.UTF_8))) {
            assertStatus(201, admin(gateway).post(orders, "{\"_id\": \"e\", \"price\": 50}"));
            assertThat(events.lines().filter(line -> line.startsWith("data:")).findFirst())
                    .hasValueSatisfying(line -> assertThat(line)
                            .contains("\"e\"", "\"price\": null")
                            .doesNotContain("50"));
        }
    }

    @Test
    void a_transform_that_fails_sends_nothing_of_its_document() {
        transforming(
                "if (document.getString(\"_id\").getValue().equals(\"b\")) throw new IllegalStateException(\"sec\" + \"ret\");");
        try (var gateway = plugins.start(mongo, "")) {
            for (var path : List.of("", "/b", "?rep=HAL", "?page=1")) {
                var answer = admin(gateway).get(orders + path);
                assertStatus(500, answer);
                assertThat(answer.body()).doesNotContain("secret", "price");
            }
            assertStatus(200, admin(gateway).get(orders + "/a"));
        }
    }

    @Test
    void transforms_see_what_those_of_a_higher_priority_made_and_nothing_hidden() {
        for (int priority : List.of(1, 2)) {
            plugins.plugin("p" + priority, """
                public void install(Installation to) {
                    to.operations(Selector.data(), (request, target) -> Verdict.hide("price"));
                    to.documents(Selector.data().priority(%d), (document, request) ->
                            document.append("keys%d", new BsonString("" + document.keySet())));
                }
                """.formatted(3 - priority, priority));
        }
        try (var gateway = plugins.start(mongo, "")) {
            assertThat(admin(gateway).get(orders + "/a").body())
                    .contains("\"keys1\": \"[_id, dept]\"", "\"keys2\": \"[_id, dept, keys1]\"");
        }
    }

    @Test
    void tenants_have_databases_of_their_own() {
        plugins.plugin("tenants", """
            public void install(Installation to) {
                to.requests(Selector.data().when(request -> request.headers().has("X-Tenant")), (request, next) -> next.handle(
                        request.with(RequestPath.parse("/" + request.headers().first("X-Tenant").get() + request.path().raw()))));
            }
            """);
        try (var gateway = plugins.start(mongo, "", """
            - {role: user, predicate: path-prefix('/%s')}
            """.formatted(mongo.databaseName()), "")) {
            assertThat(ann(gateway)
                            .with("X-Tenant", mongo.databaseName())
                            .get("/orders")
                            .body())
                    .contains("\"a\"");
            assertStatus(403, ann(gateway).with("X-Tenant", "other").get("/orders"));
        }
    }

    @Test
    void who_comes_after_a_changed_path_sees_its_data() {
        for (var name : List.of("atenants", "bsee")) {
            plugins.plugin(name, name.equals("atenants") ? """
                public void install(Installation to) {
                    to.requests(Selector.data().when(request -> request.headers().has("X-Tenant")), (request, next) -> next.handle(
                            request.with(RequestPath.parse("/" + request.headers().first("X-Tenant").get() + request.path().raw()))));
                }
                """ : """
                public void install(Installation to) {
                    to.requests(Selector.data().collections("%s/orders"), (request, next) ->
                            next.handle(request).with("X-Seen", request.require(DataTarget.KEY).collection().orElseThrow()));
                    to.veto((request, account) -> request.require(DataTarget.KEY).db().filter("other"::equals).isPresent());
                }
                """.formatted(mongo.databaseName()));
        }
        try (var gateway = plugins.start(mongo, "")) {
            var seen = admin(gateway).with("X-Tenant", mongo.databaseName()).get("/orders");
            assertStatus(200, seen);
            assertThat(seen.headers().firstValue("X-Seen")).contains("orders");
            assertStatus(403, admin(gateway).with("X-Tenant", "other").get("/orders"));
        }
    }

    @Test
    void requests_beyond_the_limit_of_their_address_reach_no_interceptor() {
        plugins.plugin("costly", """
            public void install(Installation to) {
                var asked = new java.util.concurrent.atomic.AtomicInteger();
                to.requests(Selector.data(), (request, next) -> next.handle(request).with("X-Asked", "" + asked.incrementAndGet()));
            }
            """);
        try (var gateway = plugins.start(mongo, """
            rateLimits: {enabled: true, address-requests-per-minute: 1, address-burst: 2}
            """)) {
            assertThat(admin(gateway).get(orders).headers().firstValue("X-Asked"))
                    .contains("1");
            assertThat(admin(gateway).get(orders).headers().firstValue("X-Asked"))
                    .contains("2");
            var refused = admin(gateway).get(orders);
            assertStatus(429, refused);
            assertThat(refused.headers().firstValue("X-Asked")).isEmpty();
        }
    }

    @Test
    void failed_sign_ins_get_a_page_of_its_own() {
        plugins.plugin("pages", """
            public void install(Installation to) {
                to.requests(Selector.all(), (request, next) -> {
                    var answer = next.handle(request);
                    return answer.status() == 401 ? Response.json(401, "{\\"page\\": \\"sign in\\"}").with("X-By", "pages") : answer;
                });
            }
            """);
        try (var gateway = plugins.start(mongo, "")) {
            var refused = TestClient.of(gateway.address()).as("ann", "wrong").get(orders);
            assertStatus(401, refused);
            assertThat(refused.body()).contains("sign in");
            assertThat(refused.headers().firstValue("Access-Control-Allow-Origin"))
                    .isPresent();
            assertStatus(200, admin(gateway).get(orders));
        }
    }

    @Test
    void fields_of_lines_of_the_log() {
        plugins.plugin("lines", """
            public void install(Installation to) {
                to.logField("tenant", (request, answered) -> request.headers().first("X-Tenant"));
                to.logField("type", (request, answered) -> answered.first("Content-Type"));
                to.logField("bad", (request, answered) -> { throw new IllegalStateException(); });
            }
            """);
        try (var log = new LogLines();
                var gateway = plugins.start(mongo, "")) {
            admin(gateway).with("X-Tenant", "a\tb\" \\ username=root").get(orders);
            await().untilAsserted(() -> assertThat(log.all())
                    .anySatisfy(line -> assertThat(line)
                            .contains(" tenant=\"a\\u0009b\\\" \\\\ username=root\" type=\"application/json")
                            .doesNotContain("bad=", "a\tb")));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"account", "username", "status", "message"})
    void a_field_of_the_log_has_no_name_of_the_gateways_own(String name) {
        plugins.plugin("lines", """
            public void install(Installation to) {
                to.logField("%s", (request, answered) -> Optional.of("root"));
            }
            """.formatted(name));
        assertThatThrownBy(() -> plugins.start(mongo, ""))
                .hasStackTraceContaining("a field of the log cannot have the name " + name);
    }

    @Test
    void headers_of_answers_and_of_proxied_services() throws IOException {
        var target = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        target.createContext("/", exchange -> {
            var name = exchange.getRequestHeaders().getFirst("Accept-Language");
            exchange.sendResponseHeaders(name == null ? 500 : 204, -1);
            exchange.close();
        });
        target.start();
        plugins.plugin("proxied", """
            public void install(Installation to) {
                to.requests(Selector.proxies(), (request, next) ->
                        next.handle(request.with(request.headers().with("Accept-Language", "it"))).with("X-Instance", "one"));
                to.requests(Selector.services("ping"), (request, next) -> {
                    var answer = next.handle(request);
                    return answer.withHeaders(answer.headers().without("X-Powered-By"));
                });
                var heard = new CopyOnWriteArrayList<String>();
                to.after(Selector.proxies(), done -> heard.add(done.path().raw()));
                to.serve(_ -> Response.json(200, "{\\"heard\\": \\"" + heard + "\\"}"), ServicePath.of("/heard").open());
            }
            """);
        try (var gateway = plugins.start(
                mongo,
                "proxies: [{location: /far, proxy-pass: 'http://127.0.0.1:%d'}]"
                        .formatted(target.getAddress().getPort()))) {
            var answer = admin(gateway).get("/far");
            assertStatus(204, answer);
            assertThat(answer.headers().firstValue("X-Instance")).contains("one");
            await().until(() -> admin(gateway).get("/heard").body().contains("[/far]"));
            assertThat(admin(gateway).get("/ping").headers().firstValue("X-Powered-By"))
                    .isEmpty();
            assertThat(admin(gateway).get(orders).headers().firstValue("X-Powered-By"))
                    .isPresent();
        } finally {
            target.stop(0);
        }
    }

    @Test
    void checks_beyond_schema_and_rules_by_every_way_in() {
        judging("""
            return target.operation() == Operation.Write.DELETE
                    ? Verdict.refuse(Problem.of(ProblemCode.CONFLICT, "not on Sundays"))
                    : Verdict.allow();\
            """);
        try (var gateway = plugins.start(mongo, "")) {
            var refused = admin(gateway).delete(orders + "/a");
            assertStatus(409, refused);
            assertThat(refused.body()).contains("not on Sundays");
            assertStatus(
                    409,
                    admin(gateway)
                            .post(
                                    "/_transactions",
                                    "[{\"method\": \"DELETE\", \"path\": \"%s/a\"}]".formatted(orders)));
            assertStatus(200, admin(gateway).get(orders + "/a"));
            assertThat(stored().countDocuments()).isEqualTo(3);
        }
    }

    @Test
    void filters_forced_by_user_hold_for_reads_and_writes_and_the_rule_holds_too() {
        judging("""
            return request.caller().account().filter(account -> account.name().equals("ann")).isPresent()
                    ? Verdict.rows(new BsonDocument("dept", new BsonInt32(7))) : Verdict.allow();\
            """);
        try (var gateway = plugins.start(mongo, "", """
            - {role: user, predicate: path-prefix('/'), mongo: {allowBulkPatch: true, readFilter: {price: {$lt: 25}}}}
            """, "graphql: {enabled: true}")) {
            var ann = ann(gateway);
            assertThat(ann.get(orders).body()).contains("\"a\"").doesNotContain("\"b\"", "\"c\"");
            assertThat(ann.get(orders + "/_size").body()).contains("\"_size\": 1");
            assertStatus(404, ann.get(orders + "/b"));
            assertStatus(404, ann.delete(orders + "/b"));
            assertStatus(403, ann.post(orders, "{\"dept\": 8}"));
            assertStatus(201, ann.post(orders, "{\"dept\": 7}"));
            assertStatus(403, ann.patch(orders + "/a", "{\"dept\": 8}"));
            assertThat(stored().countDocuments(Filters.eq("dept", 8))).isOne();
            assertThat(admin(gateway).get(orders).body()).contains("\"b\"");
        }
    }

    @Test
    void fields_are_hidden_from_answers_filters_and_sorts() {
        judging("return Verdict.hide(\"price\");");
        try (var gateway = plugins.start(mongo, "", MAY_ALL, "")) {
            var ann = ann(gateway);
            assertThat(ann.get(orders).body()).contains("dept").doesNotContain("price");
            assertThat(ann.get(orders + "/a").body()).doesNotContain("price");
            assertStatus(403, ann.get(orders + "?filter=%7B%22price%22%3A10%7D"));
            assertStatus(403, ann.get(orders + "?sort=price"));
        }
    }

    @Test
    void what_a_verdict_adds_takes_nothing_away() {
        var both = Verdict.hide("price").hiding("dept").merging(new BsonDocument("a", BsonNull.VALUE));
        assertThat(both.hidden()).containsExactlyInAnyOrder("price", "dept");
        assertThat(both.merging(new BsonDocument("b", BsonNull.VALUE)).merged().orElseThrow())
                .containsOnlyKeys("a", "b");
    }

    /// What a part is for by mistake would never be asked, and refuse nothing.
    @ParameterizedTest
    @ValueSource(strings = {"orders", "/orders", "shop/"})
    void collections_are_named_with_their_databases(String name) {
        assertThatThrownBy(() -> Selector.data().collections("shop/orders", name))
                .hasMessageContaining("such as shop/orders");
    }

    @Test
    void what_is_hidden_from_get_is_hidden_from_head() {
        plugins.plugin("heads", """
            public void install(Installation to) {
                to.operations(Selector.data().methods(Method.GET), (request, target) -> Verdict.hide("price"));
            }
            """);
        try (var gateway = plugins.start(mongo, "", MAY_ALL, "")) {
            assertStatus(403, ann(gateway).send("HEAD", orders + "?filter=%7B%22price%22%3A10%7D", ""));
        }
    }

    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void an_answer_that_is_not_sent_since_its_interceptor_fails_or_replaces_it_is_closed_once(
            boolean isRead, boolean fails) {
        var closed = new AtomicInteger();
        var source = new Content.Source() {
            @Override
            public ByteBuffer next() {
                return ByteBuffer.allocate(0);
            }

            @Override
            public void close() {
                closed.incrementAndGet();
            }
        };
        var step = PluginSteps.around(
                new PluginCalls("bad", getClass().getClassLoader(), new SimpleMeterRegistry()),
                _ -> true,
                (request, next) -> {
                    var answer = next.handle(request);
                    if (isRead) {
                        Content.stream(answer.content()).close();
                    }
                    if (fails) {
                        throw new IllegalStateException("a bug");
                    }
                    return Response.json(200, "{}");
                });
        ThrowingCallable answer = () -> step.filter(
                TestRequests.request(Method.GET, "/"),
                _ -> Response.status(200).with(new Content.Streamed(source, 0, Lease.CONSTANT)));
        if (fails) {
            assertThatThrownBy(answer).hasMessageContaining("plugin bad");
        } else {
            assertThatCode(answer).doesNotThrowAnyException();
        }
        assertThat(closed).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void of_answers_that_an_interceptor_asks_for_each_is_closed_but_the_one_that_is_sent(boolean fails) {
        var closed = new AtomicInteger();
        var step = PluginSteps.around(
                new PluginCalls("twice", getClass().getClassLoader(), new SimpleMeterRegistry()),
                _ -> true,
                (request, next) -> {
                    next.handle(request);
                    var second = next.handle(request);
                    if (fails) {
                        throw new IllegalStateException("a bug");
                    }
                    return second;
                });
        ThrowingCallable answer = () -> step.filter(
                TestRequests.request(Method.GET, "/"),
                _ -> Response.status(200)
                        .with(new Content.Streamed(
                                new Content.Source() {
                                    @Override
                                    public ByteBuffer next() {
                                        return ByteBuffer.allocate(0);
                                    }

                                    @Override
                                    public void close() {
                                        closed.incrementAndGet();
                                    }
                                },
                                0,
                                Lease.CONSTANT)));
        if (fails) {
            assertThatThrownBy(answer).hasMessageContaining("plugin twice");
        } else {
            assertThatCode(answer).doesNotThrowAnyException();
        }
        assertThat(closed).hasValue(fails ? 2 : 1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        GET   |          | return Verdict.rows(BsonDocument.parse("{dept: {$secret: 1}}"));
        GET   |          | return Verdict.rows(BsonDocument.parse("{$secret: 1}"));
        POST  | {"x": 1} | return Verdict.merge(BsonDocument.parse("{$secret: {x: 1}}"));
        PATCH | {"x": 1} | return new Verdict.Rewrite(BsonArray.parse("[{secret: 1}]"));
        PATCH | {"x": 1} | return new Verdict.Rewrite(BsonArray.parse("[1]"));
        PATCH | {"x": 1} | return new Verdict.Rewrite(new BsonString("secret"));
        POST  | {"x": 1} | return new Verdict.Rewrite(BsonArray.parse("[1]"));
        POST  | {"x": 1} | return new Verdict.Rewrite(new BsonString("secret"));
        """)
    void a_verdict_that_cannot_be_used_is_500_and_said_to_be_the_plugins(String method, String body, String verdict) {
        judging(verdict);
        try (var gateway = plugins.start(mongo, "")) {
            var path = method.equals("PATCH") ? orders + "/a" : orders;
            var failed = admin(gateway).send(method, path, body == null ? "" : body);
            assertStatus(500, failed);
            assertThat(failed.body()).contains("see log").doesNotContain("secret");
            assertThat(admin(gateway).get("/metrics/plugins").body())
                    .contains("plugin_failures_total{component=\"interceptor\",plugin=\"judge\"} 1");
        }
    }

    @Test
    void writes_are_completed_in_every_form() {
        judging("""
            return target.operation() instanceof Operation.Write
                    ? Verdict.merge(new BsonDocument("by", new BsonString(request.caller().account().orElseThrow().name())))
                    : Verdict.allow();\
            """);
        try (var gateway = plugins.start(mongo, "", MAY_ALL, "")) {
            var ann = ann(gateway);
            assertStatus(201, ann.post(orders, "{\"_id\": 1, \"by\": \"admin\"}"));
            assertStatus(200, ann.post(orders, "[{\"_id\": 2}, {\"_id\": 3}]"));
            assertStatus(201, ann.put(orders + "/4?wm=upsert", "{}"));
            assertStatus(200, ann.patch(orders + "/a", "{\"price\": 11}"));
            assertThat(stored().countDocuments(Filters.eq("by", "ann"))).isEqualTo(5);
        }
    }

    @Test
    void content_that_is_rewritten_is_still_guarded() {
        judging("""
            return target.operation() == Operation.Write.INSERT
                    ? new Verdict.Rewrite(org.restheart.bson.RawDocuments.toTree(request.require(RequestContent.KEY).value())
                            .asDocument().append("code", new BsonString("x")).append("dept", new BsonInt32(9)))
                    : Verdict.allow();\
            """);
        try (var gateway = plugins.start(mongo, "", """
            - {role: user, predicate: path-prefix('/'), mongo: {mergeRequest: {dept: 7}}}
            """, "")) {
            assertStatus(201, ann(gateway).post(orders, "{\"_id\": 9}"));
            assertThat(stored().find(Filters.eq(9)).first())
                    .containsEntry("code", "x")
                    .containsEntry("dept", 7);
        }
    }

    @Test
    void what_was_written_is_told_after_it_is() {
        plugins.plugin("audit", """
            public void install(Installation to) {
                var log = to.mongo().orElseThrow().getDatabase("%1$s").getCollection("audit");
                to.after(Selector.data().collections("%1$s/orders").methods(Method.POST, Method.DELETE), done -> {
                    for (var id : done.ids()) {
                        log.insertOne(new org.bson.Document("what", done.method().name()).append("of", id)
                                .append("by", done.caller().account().orElseThrow().name()));
                    }
                    if (done.ids().isEmpty()) throw new IllegalStateException("nothing");
                });
            }
            """.formatted(mongo.databaseName()));
        var audit = mongo.database().getCollection("audit");
        audit.drop();
        try (var gateway = plugins.start(mongo, "", MAY_ALL, "")) {
            assertStatus(201, ann(gateway).post(orders, "{\"_id\": \"d\"}"));
            assertStatus(409, ann(gateway).post(orders, "{\"_id\": \"d\"}"));
            assertStatus(201, ann(gateway).with("Prefer", "tx=rollback").post(orders, "{\"_id\": \"rehearsed\"}"));
            assertStatus(200, ann(gateway).post("/_transactions", """
                [{"method": "POST", "path": "%1$s", "body": {"_id": "e"}}, {"method": "DELETE", "path": "%1$s/b"}]
                """.formatted(orders)));
            assertStatus(409, ann(gateway).post("/_transactions", """
                [{"method": "POST", "path": "%1$s", "body": {"_id": "f"}}, {"method": "POST", "path": "%1$s", "body": {"_id": "d"}}]
                """.formatted(orders)));
            assertStatus(204, ann(gateway).delete(orders + "/a"));
        }
        assertThat(audit.find()
                        .projection(new Document("_id", 0))
                        .map(entry -> entry.getString("what") + " " + entry.get("of") + " " + entry.getString("by")))
                .containsExactly("POST d ann", "POST e ann", "DELETE b ann", "DELETE a ann");
    }

    @Test
    void a_listener_hears_how_long_an_answer_has_taken_and_how_large_it_is() {
        plugins.plugin("measures", """
            public void install(Installation to) {
                var heard = new CopyOnWriteArrayList<String>();
                to.after(Selector.services("ping"), done -> heard.add(done.bytes() + " " + done.duration().isPositive()));
                to.serve(_ -> Response.json(200, "{\\"heard\\": \\"" + heard + "\\"}"), ServicePath.of("/heard").open());
            }
            """);
        try (var gateway = plugins.start(mongo, "")) {
            int length = admin(gateway).get("/ping").body().length();
            await().until(() -> admin(gateway).get("/heard").body().contains("[OptionalLong[" + length + "] true]"));
        }
    }

    @Test
    void a_listener_that_is_stuck_delays_nobody_and_takes_no_memory() {
        plugins.plugin("stuck", """
            public void install(Installation to) {
                to.after(Selector.services("ping"), done -> Thread.sleep(Duration.ofHours(1)));
            }
            """);
        long before = System.nanoTime();
        try (var gateway = plugins.start(mongo, "")) {
            var client = admin(gateway);
            var answers = IntStream.range(0, 12_000)
                    .mapToObj(i -> i % 100 == 99
                            ? done(client.get("/ping").statusCode())
                            : client.sendAsync("GET", "/ping", "").thenApply(answer -> answer.statusCode()))
                    .toList();
            assertThat(answers).allSatisfy(answer -> assertThat(answer.join()).isEqualTo(200));
            assertThat(client.get("/metrics/plugins").body())
                    .contains("plugin_queue{component=\"listener\",plugin=\"stuck\"} 10000");
        }
        assertThat(System.nanoTime() - before).isLessThan(java.util.concurrent.TimeUnit.MINUTES.toNanos(2));
    }

    private static CompletableFuture<Integer> done(int status) {
        return CompletableFuture.completedFuture(status);
    }

    @Test
    void interceptors_of_a_lower_priority_are_outside() {
        for (var name : List.of("bfirst", "asecond", "cthird")) {
            plugins.plugin(name, """
                public void install(Installation to) {
                    to.requests(Selector.services("ping"), (request, next) -> next.handle(request).withAlso("X-Order", "%s"));
                }
                """.formatted(name));
        }
        try (var gateway = plugins.start(mongo, "bfirst: {priority: 1}")) {
            assertThat(admin(gateway).get("/ping").headers().allValues("X-Order"))
                    .containsExactly("cthird", "asecond", "bfirst");
        }
    }

    @Test
    void an_interceptor_that_fails_is_500_where_it_is_asked_and_nowhere_else() {
        plugins.plugin("bad", """
            public void install(Installation to) {
                to.requests(Selector.data().when(request -> request.query().has("select")), (request, next) -> { throw new IllegalStateException("secret"); });
                to.requests(Selector.data().when(request -> { if (request.query().has("condition")) throw new NoClassDefFoundError("secret"); return false; }), (request, next) -> next.handle(request));
                to.operations(Selector.data().when(request -> request.query().has("judge")), (request, target) -> null);
                to.operations(Selector.data().when(request -> { request.requireThread(); return request.query().has("thread"); }), (request, target) -> Verdict.hide("price"));
                to.requests(Selector.data().when(request -> request.query().has("elsewhere")), (request, next) -> next.handle(request.with(RequestPath.parse("/ping/x"))));
            }
            """);
        try (var gateway = plugins.start(mongo, "mongo: {mongo-mounts: [{what: '*', where: /}]}")) {
            for (var parameter : List.of("select", "condition", "judge")) {
                var failed = admin(gateway).get(orders + "?" + parameter);
                assertStatus(500, failed);
                assertThat(failed.body()).contains("see log").doesNotContain("secret", "sample");
                assertStatus(200, admin(gateway).get(orders));
            }
            assertStatus(404, admin(gateway).get(orders + "?elsewhere"));
            assertThat(admin(gateway).get(orders + "/a?thread").body()).doesNotContain("price");
        }
    }

    @Test
    void a_slow_interceptor_holds_no_other_request_and_is_asked_once() {
        plugins.plugin("slow", """
            public void install(Installation to) {
                var asked = new java.util.concurrent.atomic.AtomicInteger();
                to.serve(_ -> Response.json(200, "" + asked), ServicePath.of("/asked").open());
                to.requests(Selector.data().when(request -> request.query().has("slow")), (request, next) -> { asked.incrementAndGet(); return next.handle(request); });
                to.operations(Selector.data().when(request -> request.query().has("slow")), (request, target) -> { asked.incrementAndGet(); Thread.sleep(1000); return Verdict.allow(); });
            }
            """);
        try (var gateway = plugins.start(mongo, "")) {
            var client = admin(gateway);
            var slow = IntStream.range(0, 50)
                    .mapToObj(_ -> client.sendAsync("GET", orders + "/a?slow", ""))
                    .toList();
            var quick = client.get(orders + "/a");
            assertStatus(200, quick);
            assertThat(slow).anyMatch(answer -> !answer.isDone());
            await().until(() -> slow.stream().allMatch(CompletableFuture::isDone));
            assertThat(slow).allSatisfy(answer -> assertStatus(200, answer.join()));
            assertThat(client.get("/asked").body()).isEqualTo("100");
        }
    }
}
