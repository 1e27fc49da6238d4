package org.restheart.core.graphql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.restheart.core.data.ConformanceGateway;
import org.restheart.core.streams.Relay;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The effects of the keys of the block `graphql`.
@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SettingsTest {
    private static final String SCHEMA = "type Doc { _id: Int n: Float } type Query { docs: [Doc] slow: [Doc] }";

    private static final String NO_TAG = "0123456789abcdef01234567";

    private final TestMongo mongo;
    private final String db;

    @AutoClose
    private final ConformanceGateway gateway;

    private final GraphqlClient admin;

    SettingsTest(TestMongo mongo) {
        this.mongo = mongo;
        this.db = mongo.newDatabaseName();
        mongo.client().getDatabase(db).getCollection("c").insertOne(new Document("_id", 1).append("n", 2));
        this.gateway = GraphqlGateway.start(
                mongo,
                "introspection: false, app-writers: [admin], strict-scalars: true, query-time-limit: 3000,"
                        + " app-cache-ttr: 200");
        this.admin = new GraphqlClient(gateway, "admin");
        admin.define("app", definition(SCHEMA));
    }

    private String definition(String schema) {
        return """
                {"schema": "$schema", "documents": {"all": "{docs{_id}}"},
                 "mappings": {"Query": {
                   "docs": {"db": "$db", "collection": "c"},
                   "slow": {"db": "$db", "collection": "c", "stages": [
                     {"$set": {"x": {"$range": [0, 9000]}}}, {"$unwind": "$x"},
                     {"$set": {"y": {"$range": [0, 9000]}}}, {"$unwind": "$y"},
                     {"$set": {"z": {"$range": [0, 9000]}}}, {"$unwind": "$z"}, {"$group": {"_id": null}}]}}}}
                """.replace("$schema", schema).replace("$db", db);
    }

    @Test
    void a_query_that_takes_too_long_is_answered_with_408() {
        var response = admin.ask("app", "{slow{_id}}");
        assertStatus(408, response);
        assertThat(response.body()).contains("Maximum query time limit of 3000ms exceeded");
    }

    /// Their conversion takes a time that grows with the square of their length.
    @Test
    void long_numbers_are_refused_before_they_are_converted() {
        for (var number : new String[] {"9".repeat(100_000), "-1." + "9".repeat(100_000), "1e" + "9".repeat(1_000)}) {
            var response = admin.ask("app", "{docs(n: " + number + "){_id}}");
            assertStatus(400, response);
            assertThat(response.body())
                    .contains("the query has more than 400 digits in a row")
                    .hasSizeLessThan(1_000);
        }
        assertStatus(200, admin.ask("app", "{docs{_id}} #" + "9".repeat(1_000)));
    }

    @Test
    void introspection_is_refused_where_it_is_switched_off() {
        for (var query : new String[] {"{__schema{queryType{name}}}", "{docs{_id} __type(name: \"Doc\"){name}}"}) {
            var response = admin.ask("app", query);
            assertStatus(400, response);
            assertThat(response.body()).contains("ValidationError");
        }
        assertThat(admin.ask("app", "{docs{__typename}}").body())
                .isEqualTo("{\"data\":{\"docs\":[{\"__typename\":\"Doc\"}]}}");
    }

    @Test
    void only_writers_write_definitions() {
        var ada = new GraphqlClient(gateway, "ada"); // whom a permission would let
        assertStatus(403, ada.send("PUT", "/defs/gql-apps/hers?wm=upsert", definition(SCHEMA)));
        assertStatus(403, ada.send("PUT", "/" + mongo.databaseName() + "/gql-apps/hers?wm=upsert", definition(SCHEMA)));
        assertStatus(403, ada.send("DELETE", "/defs/gql-apps/app", ""));
        assertStatus(404, admin.ask("hers", "{docs{_id}}"));
        assertStatus(200, admin.ask("app", "{docs{_id}}"));
    }

    @Test
    void a_write_that_fails_changes_nothing_that_is_served() {
        admin.define("kept", definition(SCHEMA));
        var changed = definition(SCHEMA.replace("_id: Int", "_id: Int m: Int"));
        var response = gateway.as("admin").with("If-Match", NO_TAG).put("/defs/gql-apps/kept?wm=upsert", changed);
        assertStatus(412, response);
        assertStatus(400, admin.ask("kept", "{docs{m}}"));
        assertStatus(200, admin.ask("kept", "{docs{_id}}"));
    }

    @Test
    void strict_scalars_are_not_widened() {
        var answer = admin.answer("app", "{docs{_id n}}");
        var found = answer.getDocument("data").getArray("docs").get(0).asDocument();
        assertThat(found.getInt32("_id").getValue()).isEqualTo(1);
        assertThat(found.isNull("n")).isTrue(); // an integer, where a Float is declared
        assertThat(answer.getArray("errors")).hasSize(1);
    }

    /// Changes, disabling and deletion by another server or a driver, that do not touch the entity tag.
    @Test
    void what_is_served_follows_definitions_that_others_change() {
        admin.define("followed", definition(SCHEMA));
        assertStatus(200, admin.ask("followed", "{docs{_id}}"));
        var definitions = mongo.database().getCollection("gql-apps");
        var id = new Document("_id", "followed");
        definitions.updateOne(
                id, new Document("$set", new Document("schema", SCHEMA.replace("_id: Int", "_id: Int m: Int"))));
        await().until(() -> admin.ask("followed", "{docs{m}}").statusCode() == 200);
        definitions.updateOne(id, new Document("$set", new Document("descriptor", new Document("enabled", false))));
        await().until(() -> admin.ask("followed", "{docs{_id}}").statusCode() == 404);
        definitions.updateOne(id, new Document("$unset", new Document("descriptor", 1)));
        await().until(() -> admin.ask("followed", "{docs{_id}}").statusCode() == 200);
        definitions.deleteOne(id);
        await().until(() -> admin.ask("followed", "{docs{_id}}").statusCode() == 404);
    }

    @Test
    void mappings_read_as_their_callers_and_arguments_hold_operators_where_that_is_configured() {
        var documents = mongo.client().getDatabase(db).getCollection("owned");
        documents.insertOne(new Document("_id", 1).append("owner", "ada"));
        documents.insertOne(new Document("_id", 2).append("owner", "ada"));
        documents.insertOne(new Document("_id", 3).append("owner", "bob"));
        try (var open = GraphqlGateway.start(
                mongo,
                "mappings-read-as: caller, args-check-operators: false",
                yaml -> yaml.replace("gql-apps", "caller-apps"))) {
            mongo.database().createCollection("caller-apps");
            var defined = new GraphqlClient(open, "admin")
                    .send("PUT", "/defs/caller-apps/app?wm=upsert", """
                    {"schema": "type Query { mine(by: BsonDocument): [BsonDocument] all: [BsonDocument] }",
                     "mappings": {"Query": {
                       "mine": {"db": "$db", "collection": "owned", "find": {"$arg": "by"}},
                       "all": {"db": "$db", "collection": "owned", "as": "app", "stages": [{"$count": "n"}]}}}}
                    """.replace("$db", db));
            assertStatus(201, defined);
            var asked = "{\"query\": \"query($by: BsonDocument) {mine(by: $by) all}\", \"variables\": {\"by\": %s}}";
            assertThat(new GraphqlClient(open, "ada")
                            .send("POST", "/graphql/app", asked.formatted("{\"_id\": {\"$gt\": 1}}"))
                            .body())
                    .isEqualTo("{\"data\":{\"mine\":[{\"_id\": 2, \"owner\": \"ada\"}],\"all\":[{\"n\": 3}]}}");
            assertThat(new GraphqlClient(open, "eve")
                            .send("POST", "/graphql/app", asked.formatted("{}"))
                            .body())
                    .contains("\"mine\":null", "\"all\":[{\"n\": 3}]");
        }
    }

    @Test
    void only_stored_documents_are_answered_where_that_is_asked_for() {
        try (var strict = GraphqlGateway.start(
                mongo, "persisted-documents-only: true", yaml -> yaml.replace("gql-apps", "stored-apps"))) {
            mongo.database().createCollection("stored-apps");
            var client = new GraphqlClient(strict, "admin");
            client.send("PUT", "/defs/stored-apps/app?wm=upsert", definition(SCHEMA));
            var hash = "{\"extensions\": {\"persistedQuery\": {\"version\": 1, \"sha256Hash\": \"%s\"}}}";
            for (var allowed : new String[] {
                "{\"documentId\": \"all\"}",
                "{\"documentId\": \"sha256:" + sha256("{docs{_id}}") + "\"}",
                hash.formatted(sha256("{docs{_id}}")),
                "{\"query\": \"{docs{_id}}\"}"
            }) {
                var response = client.send("POST", "/graphql/app", allowed);
                assertStatus(200, response);
            }
            for (var refused : new String[] {
                "{\"documentId\": \"none\"}",
                hash.formatted(sha256("{docs{n}}")),
                "{\"query\": \"{docs{n}}\"}",
                "{\"query\": \"{docs{_id} }\"}"
            }) {
                assertStatus(400, client.send("POST", "/graphql/app", refused));
            }
        }
    }

    private static String sha256(String text) {
        try {
            return java.util.HexFormat.of()
                    .formatHex(java.security.MessageDigest.getInstance("SHA-256")
                            .digest(text.getBytes(java.nio.charset.StandardCharsets.UTF_8)));
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void without_mongodb_a_query_fails_as_a_whole() throws Exception {
        try (var relay = Relay.to(mongo)) {
            relay.start();
            try (var lonely = GraphqlGateway.start(
                    mongo,
                    "verbose: false",
                    yaml -> yaml.replace("gql-apps", "lonely-apps")
                            .replace(
                                    mongo.connectionString(),
                                    "mongodb://127.0.0.1:" + relay.port()
                                            + "/?directConnection=true&serverSelectionTimeoutMS=500"))) {
                mongo.database().createCollection("lonely-apps");
                var client = new GraphqlClient(lonely, "admin");
                // a busy machine may need longer than the timeout to connect
                await().until(() -> client.send("PUT", "/defs/lonely-apps/app?wm=upsert", definition(SCHEMA))
                                .statusCode()
                        < 300);
                await().until(() -> client.ask("app", "{docs{_id}}").statusCode() == 200);
                relay.close();
                await().untilAsserted(() -> {
                    var response = client.ask("app", "{docs{_id}}");
                    assertStatus(500, response);
                    var error = BsonDocument.parse(response.body())
                            .getArray("errors")
                            .get(0)
                            .asDocument();
                    assertThat(error.getString("message").getValue())
                            .startsWith("Unable to establish a connection to the database: ");
                    assertThat(error.getDocument("extensions").get("classification"))
                            .isEqualTo(new BsonString("ExecutionAborted"));
                    var unknown = client.ask("not-cached", "{docs{_id}}"); // nor can its definition be read
                    assertStatus(500, unknown);
                    assertThat(unknown.body()).contains("Unable to establish a connection to the database: ");
                });
            }
        }
    }
}
