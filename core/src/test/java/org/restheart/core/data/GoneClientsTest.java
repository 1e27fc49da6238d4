package org.restheart.core.data;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.ClientSession;
import com.mongodb.client.model.Filters;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.restheart.core.server.RawClient;
import org.restheart.testkit.Opened;
import org.restheart.testkit.Patience;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Clients that disconnect while their requests wait for a command. An open transaction that has written an id
/// blocks the command that inserts the same id.
@WithMongo
class GoneClientsTest {
    private static final String CREDENTIALS = "Authorization: Basic "
            + Base64.getEncoder().encodeToString("admin:secret".getBytes(StandardCharsets.UTF_8));
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final TestMongo mongo;
    private final ConformanceGateway gateway;
    private final Opened<RawClient> clients = new Opened<>();

    GoneClientsTest(TestMongo mongo) {
        this.mongo = mongo;
        // without retryable writes, inserts wait without a limit
        this.gateway = ConformanceGateway.start(mongo.connectionString("retryWrites=false"), """
                mongo: {mongo-mounts: [{what: '*', where: /}], coalescing: {concurrent-commands: 1, max-wait: 60000, header: true}}
                dataApi: {enabled: true}
                """);
        mongo.database().drop();
        mongo.database().createCollection("c");
    }

    @AfterEach
    void stop() throws Exception {
        clients.close();
        gateway.close();
    }

    private RawClient post(String json) throws IOException {
        return send(connect(), "POST /" + mongo.databaseName() + "/c", json);
    }

    private RawClient connect() throws IOException {
        return clients.add(new RawClient(new InetSocketAddress("127.0.0.1", gateway.port())).within(TIMEOUT));
    }

    private static RawClient send(RawClient client, String methodAndTarget, String content) throws IOException {
        return client.request(methodAndTarget, CREDENTIALS, "Content-Length: " + content.length())
                .send(content);
    }

    private static void assertAnswered(int status, RawClient client) throws IOException {
        assertThat(client.answer().status()).isEqualTo(status);
    }

    private static void assertShared(int status, RawClient client) throws IOException {
        var answer = client.answer();
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.header("X-Coalesced")).contains("2");
    }

    private ClientSession holding(String id) {
        var session = mongo.client().startSession();
        session.startTransaction();
        mongo.database().getCollection("c").insertOne(session, new Document("_id", id));
        return session;
    }

    /// Waits until MongoDB works on the gateway's insert.
    private void awaitCommand() {
        var mine = "{ns: '" + mongo.databaseName() + ".c', 'command.insert': 'c', active: true}";
        Patience.within(TIMEOUT)
                .until(() -> !TestMongo.operations(mongo.client(), mine).isEmpty());
    }

    private String metrics(String registry) {
        return gateway.as("admin").get("/metrics/" + registry).body();
    }

    private void awaitAbandoned(String kind, int count) {
        Patience.within(TIMEOUT)
                .until(() -> metrics("coalescing")
                        .contains("coalescing_abandoned_total{kind=\"" + kind + "\"} " + count + ".0"));
    }

    private boolean isStored(String id) {
        return mongo.database().getCollection("c").countDocuments(Filters.eq("_id", id)) == 1;
    }

    @Test
    void an_insert_whose_client_has_gone_does_not_leave_and_its_neighbors_do() throws Exception {
        try (var transaction = holding("held")) {
            var held = post("{\"_id\": \"held\"}");
            awaitCommand();
            var before = post("{\"_id\": \"before\"}");
            post("{\"_id\": \"left\"}").close();
            var half = post("{\"_id\": \"half\"}");
            half.end();
            var after = post("{\"_id\": \"after\"}");
            awaitAbandoned("insert", 2);
            transaction.abortTransaction();
            assertAnswered(201, held);
            assertAnswered(201, before);
            assertAnswered(201, after);
        }
        assertThat(isStored("held")).isTrue();
        assertThat(isStored("before")).isTrue();
        assertThat(isStored("after")).isTrue();
        assertThat(isStored("left")).isFalse();
        assertThat(isStored("half")).isFalse();
    }

    private RawClient act(String id) throws IOException {
        return send(
                connect(),
                "POST /app/x/endpoint/data/v1/action/insertOne",
                "{\"dataSource\": \"x\", \"database\": \"%s\", \"collection\": \"c\", \"document\": {\"_id\": \"%s\"}}"
                        .formatted(mongo.databaseName(), id));
    }

    @Test
    void an_insert_by_the_data_api_whose_client_has_gone_does_not_leave() throws Exception {
        try (var transaction = holding("held")) {
            var held = post("{\"_id\": \"held\"}");
            awaitCommand();
            var before = act("before");
            act("left").close();
            awaitAbandoned("insert", 1);
            transaction.abortTransaction();
            assertAnswered(201, held);
            assertAnswered(201, before);
        }
        assertThat(isStored("before")).isTrue();
        assertThat(isStored("left")).isFalse();
    }

    @Test
    void an_insert_under_way_stays_when_its_client_goes() throws Exception {
        try (var transaction = holding("held")) {
            var held = post("{\"_id\": \"held\"}");
            awaitCommand();
            post("{\"_id\": \"left\"}").close();
            held.close();
            awaitAbandoned("insert", 1);
            transaction.abortTransaction();
        }
        Patience.within(TIMEOUT).until(() -> isStored("held"));
        assertThat(isStored("left")).isFalse();
    }

    @Test
    void a_request_behind_one_that_waits_is_not_lost() throws Exception {
        try (var transaction = holding("held")) {
            var held = post("{\"_id\": \"held\"}");
            awaitCommand();
            var patient = post("{\"_id\": \"first\"}");
            send(patient, "GET /ping", "");
            post("{\"_id\": \"left\"}").close(); // looked at when the others are, or later
            awaitAbandoned("insert", 1);
            send(patient, "GET /ping", "");
            transaction.abortTransaction();
            assertAnswered(201, held);
            assertAnswered(201, patient);
            assertAnswered(200, patient);
            assertAnswered(200, patient);
        }
    }

    @Test
    void arrays_that_wait_leave_together_with_an_answer_each() throws Exception {
        mongo.database().getCollection("c").insertOne(new Document("_id", "taken"));
        try (var transaction = holding("held")) {
            var held = post("[{\"_id\": \"held\"}]");
            awaitCommand();
            var good = post("[{\"_id\": 1}, {\"_id\": 2}]");
            var partly = post("[{\"_id\": 3}, {\"_id\": \"taken\"}, {\"_id\": 4}]");
            post("[{\"_id\": \"left\"}]").close();
            awaitAbandoned("bulk_insert", 1);
            Patience.within(TIMEOUT) // three that wait, and the one that asks
                    .until(() -> metrics("gateway").contains("gateway_requests_in_flight 4.0"));
            transaction.abortTransaction();
            assertAnswered(200, held);
            assertShared(200, good);
            assertShared(207, partly);
        }
        assertThat(mongo.database().getCollection("c").countDocuments()).isEqualTo(6);
        assertThat(isStored("left")).isFalse();
    }
}
