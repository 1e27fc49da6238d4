package org.restheart.core.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.core.mcp.McpClient.documents;
import static org.restheart.core.mcp.McpClient.isError;
import static org.restheart.testkit.Statuses.assertStatus;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.core.Gateway;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.security.LogLines;
import org.restheart.core.security.TestGateway;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Two gateways of one key serve a client of the Model Context Protocol in turn.
@WithMongo
class McpGatewaysTest {
    private static final String PARTS = """
            jwtConfigProvider: {key: "a key of more than sixty-four characters, so that it is long enough for HMAC"}
            mcp: {enabled: true, read-only: false, calls-per-minute: 100000}
            """;

    @AutoClose
    private static TestGateway one;

    @AutoClose
    private static Gateway other;

    private static String db;

    @BeforeAll
    static void start(TestMongo mongo) {
        one = TestGateway.start(mongo, PARTS);
        db = one.database().getName();
        other = Gateway.start(
                TestGateway.config(mongo.connectionString(), db, TestGateway.REALM.replace("$db", db) + PARTS));
    }

    private static McpClient here() {
        return new McpClient(one.as("admin"));
    }

    private static McpClient there() {
        return new McpClient(TestClient.of(other.address()).as("admin", "admin-pw"));
    }

    private static String in(String collection, String more) {
        return "{\"database\": \"%s\", \"collection\": \"%s\", %s}".formatted(db, collection, more.replace('\'', '"'));
    }

    @Test
    void pages_go_on_at_the_other() {
        one.insert(
                "pages",
                IntStream.range(0, 40).mapToObj(i -> "{_id: %d}".formatted(i)).toArray(String[]::new));
        var seen = new ArrayList<Integer>();
        var more = "'limit': 7";
        for (int page = 0; page < 6; page++) {
            var client = page % 2 == 0 ? here() : there();
            var result = client.call("find", in("pages", more));
            documents(result)
                    .forEach(document -> seen.add(document.getInt32("_id").getValue()));
            var next = result.getDocument("structuredContent").get("next");
            if (next == null) {
                break;
            }
            more = "'limit': 7, 'cursor': '" + next.asString().getValue() + "'";
        }
        assertThat(seen).hasSize(40).doesNotHaveDuplicates();
    }

    @Test
    void a_confirmation_counts_at_the_other_and_what_it_deleted_is_gone() {
        one.insert("deleted", "{_id: 1, n: 1}", "{_id: 2, n: 1}");
        var filter = "'filter': {'n': 1}";
        var asked = here().call("delete-many", in("deleted", filter));
        var token =
                asked.getDocument("structuredContent").getString("confirmation").getValue();
        var confirmed = filter + ", 'confirmation': '" + token + "'";
        assertThat(there().call("delete-many", in("deleted", confirmed))
                        .getDocument("structuredContent")
                        .getNumber("deleted")
                        .intValue())
                .isEqualTo(2);
        var again = here().call("delete-many", in("deleted", confirmed));
        assertThat(isError(again)
                        || again.getDocument("structuredContent")
                                        .getNumber("deleted")
                                        .intValue()
                                == 0)
                .isTrue();
    }

    @Test
    void a_confirmation_is_used_up_at_both() {
        one.insert("counted", "{_id: 1, n: 0}", "{_id: 2, n: 0}");
        var change = "'filter': {'n': {'$gte': 0}}, 'update': {'$inc': {'n': 1}}";
        var asked = here().call("update-many", in("counted", change));
        var token =
                asked.getDocument("structuredContent").getString("confirmation").getValue();
        var confirmed = change + ", 'confirmation': '" + token + "'";
        assertThat(isError(here().call("update-many", in("counted", confirmed))))
                .isFalse();
        for (var client : List.of(there(), here())) {
            assertThat(McpClient.text(client.call("update-many", in("counted", confirmed))))
                    .contains("the confirmation has been used");
        }
        assertThat(one.collection("counted").countDocuments(new BsonDocument("n", new BsonInt32(1))))
                .isEqualTo(2);
    }

    @Test
    void names_that_services_hide_are_warned_of(TestMongo mongo) {
        one.database().createCollection("app");
        one.database().createCollection("_mcp");
        var parts = TestGateway.REALM.replace("$db", db) + PARTS + "dataApi: {enabled: true}\n";
        try (var lines = new LogLines();
                var _ = Gateway.start(TestGateway.config(mongo.connectionString(), db, parts))) {
            await().untilAsserted(() -> assertThat(lines.all())
                    .contains(
                            "WARN /app belongs to the service dataApi, so that the collection " + db
                                    + ".app cannot be reached there: another uri of the service helps",
                            "WARN /_mcp belongs to the service mcp, so that the collection " + db
                                    + "._mcp cannot be reached there: another uri of the service helps"));
        }
    }

    @Test
    void a_name_that_a_service_hides_is_warned_of_when_it_is_made(TestMongo mongo) {
        var config = GatewayConfig.parse(
                """
                http-listener: {host: 127.0.0.1, port: 0}
                mclient: {connection-string: "$uri"}
                mongo: {mongo-mounts: [{what: /$db, where: /}, {what: /$db, where: /again}]}
                basicAuthMechanism: {enabled: true}
                mongoRealmAuthenticator: {users-db: $db, users-collection: users, bcrypt-complexity: 4}
                mongoAclAuthorizer: {acl-db: $db, acl-collection: acl, root-role: admin}
                dataApi: {enabled: true, uri: /made}
                """.replace("$uri", mongo.connectionString()).replace("$db", db));
        try (var lines = new LogLines();
                var gateway = Gateway.start(config)) {
            var admin = TestClient.of(gateway.address()).as("admin", "admin-pw");
            assertStatus(201, admin.put("/again/another", "{}"));
            assertStatus(201, admin.put("/again/made", "{}"));
            assertThat(lines.all().stream().filter(line -> line.contains("belongs to the service")))
                    .containsExactly("WARN /made belongs to the service dataApi, so that the collection " + db
                            + ".made cannot be reached there: another uri of the service helps");
        }
    }

    @Test
    void a_stream_goes_on_at_the_other() {
        assertStatus(201, one.as("admin").put("/watched", "{\"streams\": [{\"uri\": \"all\", \"stages\": []}]}"));
        var first = here().call("watch", in("watched", "'stream': 'all', 'max-seconds': 1"));
        var next = first.getDocument("structuredContent").getString("next").getValue();
        one.collection("watched").insertOne(new BsonDocument("_id", new BsonInt32(1)));
        var second = there().call(
                        "watch",
                        in("watched", "'stream': 'all', 'max-seconds': 5, 'max-events': 1, 'after': '" + next + "'"));
        assertThat(documents(second)).hasSize(1);
    }
}
