package org.restheart.core.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.MongoClients;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executors;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.core.security.TestGateway;
import org.restheart.testkit.Opened;
import org.restheart.testkit.RouterProxy;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// What a router of a sharded cluster answers otherwise than a replica set, and what newer servers answer. The whole of
/// `./test --mongo router '*Conformance*'` runs behind the same proxy.
@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RouterTest {
    private static final String EU = TestGateway.encode("{\"region\": \"eu\"}");

    @AutoClose
    private final Opened<AutoCloseable> opened = new Opened<>();

    private RouterProxy router;
    private TestGateway gateway;
    private TestClient admin;

    @BeforeAll
    void start(TestMongo mongo) throws IOException {
        router = opened.add(RouterProxy.to(mongo.connectionString()));
        gateway = opened.add(TestGateway.startAt(mongo, router.connectionString(), ""));
        admin = gateway.as("admin");
    }

    /// Of two routers, which do not know each other's transactions.
    @Test
    void all_commands_of_a_transaction_go_to_one_router(TestMongo mongo) throws IOException {
        var other = opened.add(RouterProxy.to(mongo.connectionString()));
        var both = router.connectionString().replaceFirst("/$", ",")
                + other.connectionString().replace("mongodb://", "")
                + "?heartbeatFrequencyMS=500";
        var before = router.hellos();
        var client = opened.add(TestGateway.startAt(mongo, both, "")).as("admin");
        await().until(() -> other.hellos() >= 4 && router.hellos() >= before + 4);
        assertStatus(201, client.put("/ledger", "{}"));
        var earlier = router.transactions();
        for (int i = 0; i < 8; i++) {
            var location = client.post("/_sessions", "").headers().firstValue("Location");
            var sid = location.orElseThrow().replaceAll(".*/", "");
            assertStatus(201, client.post("/_sessions/" + sid + "/_txns", ""));
            for (int n = 0; n < 8; n++) {
                assertStatus(201, client.put("/ledger/%d-%d?wm=upsert&sid=%s&txn=1".formatted(i, n, sid), "{}"));
            }
            assertStatus(200, client.patch("/_sessions/" + sid + "/_txns/1", ""));
        }
        assertThat(client.get("/ledger/_size").body()).contains("64");
        assertThat(router.transactions() - earlier).isBetween(1, 7);
        assertThat(other.transactions()).isBetween(1, 7);
    }

    @Test
    void writes_of_a_sharded_collection_name_the_shard_key() {
        assertStatus(201, admin.put("/sharded", "{}"));
        router.shard(gateway.database().getName() + ".sharded", "region");

        var refused = admin.put("/sharded/x?wm=upsert", "{\"region\": \"eu\"}");
        assertStatus(400, refused);
        assertThat(refused.body()).contains("shardkey query parameter");
        assertStatus(201, admin.put("/sharded/x?wm=upsert&shardkey=" + EU, "{\"region\": \"eu\"}"));
        assertStatus(200, admin.patch("/sharded/x?shardkey=" + EU, "{\"n\": 1}"));
        assertStatus(204, admin.delete("/sharded/x?shardkey=" + EU));
    }

    @Test
    void what_a_router_does_not_have_is_not_asked_of_it() {
        assertStatus(201, admin.put("/indexed", "{}"));
        assertStatus(201, admin.put("/indexed/_indexes/n", "{\"keys\": {\"n\": 1}}"));
        var documents = Arrays.toString(new int[30]).replace("0", "{\"n\": 1}");
        assertStatus(200, admin.post("/indexed", documents));
        for (int page = 1; page <= 3; page++) {
            var found = admin.get("/indexed?sort=n&pagesize=5&count&page=" + page);
            assertStatus(200, found);
            assertThat(BsonArray.parse(found.body())).hasSize(5);
        }
        assertStatus(200, admin.get("/indexed?sort=n&explain"));
    }

    /// As behind a router; otherwise it would go on, and whatever waits for it.
    @Test
    void what_its_client_gives_up_ends(TestMongo mongo) {
        mongo.database().getCollection("long").insertOne(new Document());
        var running = "{active: true, ns: '" + mongo.databaseName() + ".long'}";
        try (var client = MongoClients.create(router.connectionString());
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var found = threads.submit(() -> client.getDatabase(mongo.databaseName())
                    .getCollection("long")
                    .find(new Document("$where", "sleep(600000) || true"))
                    .first());
            await().until(() -> !TestMongo.operations(mongo.client(), running).isEmpty());
            found.cancel(true); // the driver closes the connection
        }
        await().until(() -> TestMongo.operations(mongo.client(), running).isEmpty());
    }

    /// Codes of queries that need too much, and of servers that are overloaded or do not know where data is.
    @ParameterizedTest
    @CsvSource({
        "146, 400",
        "292, 400",
        "510, 400",
        "511, 400",
        "16755, 400",
        "16756, 400", //
        "509, 503",
        "462, 503",
        "13388, 503",
        "150, 503",
        "249, 503"
    })
    void codes_of_routers_and_newer_servers_have_a_status(int code, int status) {
        assertThat(admin.put("/coded", "{}").statusCode()).isIn(200, 201);
        var error = BsonDocument.parse("{ok: 0, errmsg: 'told', code: " + code + "}");
        router.replyOnce("find", error);
        assertStatus(status, admin.get("/coded?sort=n&pagesize=" + (code % 100 + 1)));
        router.replyOnce("update", error);
        assertStatus(status, admin.patch("/coded/x?wm=upsert", "{\"n\": 1}"));
    }

    @Test
    void an_overloaded_server_is_temporary_whatever_its_code() {
        assertStatus(201, admin.put("/busy", "{}"));
        router.replyOnce(
                "find",
                BsonDocument.parse("{ok: 0, errmsg: 'busy', code: 999999}")
                        .append("errorLabels", new BsonArray(List.of(new BsonString("SystemOverloadedError")))));
        var answer = admin.get("/busy");
        assertStatus(503, answer);
        assertThat(answer.headers().firstValue("Retry-After")).isPresent();
    }
}
