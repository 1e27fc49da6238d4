package org.restheart.core.graphql;

import static org.assertj.core.api.Assertions.assertThat;

import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.data.ConformanceGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Mappings that read with the app's rights, whose pipelines may access other collections, but never those of
/// accounts, permissions and the server itself.
@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ProtectedCollectionsTest {
    @AutoClose
    private final ConformanceGateway gateway;

    private final GraphqlClient admin;
    private final String db;

    ProtectedCollectionsTest(TestMongo mongo) {
        this.db = mongo.databaseName();
        mongo.database().createCollection("gql-apps");
        this.gateway = GraphqlGateway.start(
                mongo,
                "verbose: false",
                yaml -> yaml.replace(
                                "stageBlacklist: [$out, $merge, $lookup, $graphLookup, $unionWith]",
                                "stageBlacklist: [$out, $merge]")
                        .replace(
                                "mongoRealmAuthenticator: {enabled: false}",
                                "mongoRealmAuthenticator: {users-db: " + db + ", users-collection: accounts}")
                        .replace(
                                "mongoAclAuthorizer: {enabled: false}",
                                "mongoAclAuthorizer: {acl-db: " + db + ", acl-collection: acl}"));
        this.admin = new GraphqlClient(gateway, "admin");
        mongo.database().getCollection("open").insertOne(new Document("_id", 1));
        mongo.database().getCollection("other").insertOne(new Document("_id", "canary").append("word", "hello"));
        for (var name : new String[] {"accounts", "acl", "_properties"}) {
            mongo.database()
                    .getCollection(name)
                    .insertOne(new Document("_id", "canary")
                            .append("password", "canary")
                            .append("role", "nobody")
                            .append("predicate", "method(GET)"));
        }
    }

    private BsonDocument ask(String stages, String argument) {
        admin.define("p", """
                {"schema": "type Query { f(from: String): [BsonDocument] }",
                 "mappings": {"Query": {"f": {"db": "$db", "collection": "open", "as": "app", "allowOperators": true, "stages": $stages}}}}
                """.replace("$stages", stages).replace("$db", db));
        var body = new BsonDocument("query", new BsonString("query($c: String) {f(from: $c)}"))
                .append("variables", new BsonDocument("c", new BsonString(argument)));
        return BsonDocument.parse(
                admin.send("POST", "/graphql/p", body.toJson()).body());
    }

    private static final String LOOKUP = "{'$lookup': {'from': '$c', 'pipeline': [], 'as': 'x'}}";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[" + LOOKUP + "]",
                "[{'$lookup': {'from': {'$arg': 'from'}, 'pipeline': [], 'as': 'x'}}]",
                "[{'$lookup': {'from': 'other', 'pipeline': [" + LOOKUP + "], 'as': 'x'}}]",
                "[{'$lookup': {'from': 'other', 'pipeline': [{'$lookup': {'from': 'other', 'pipeline': [" + LOOKUP
                        + "], 'as': 'y'}}], 'as': 'x'}}]",
                "[{'$facet': {'a': [" + LOOKUP + "]}}]",
                "[{'$facet': {'a': [{'$unionWith': '$c'}]}}]",
                "[{'$unionWith': '$c'}]",
                "[{'$unionWith': {'coll': '$c'}}]",
                "[{'$unionWith': {'coll': {'$arg': 'from'}, 'pipeline': []}}]",
                "[{'$unionWith': {'coll': 'other', 'pipeline': [{'$unionWith': '$c'}]}}]",
                "[{'$unionWith': {'coll': 'other', 'pipeline': [" + LOOKUP + "]}}]",
                "[{'$graphLookup': {'from': '$c', 'startWith': 'canary', 'connectFromField': '_id',"
                        + " 'connectToField': '_id', 'as': 'x'}}]",
                "[{'$ifarg': ['from', " + LOOKUP + "]}]",
                "[{'$ifarg': ['nope', {'$limit': 1}, " + LOOKUP + "]}]"
            })
    void no_stage_reaches_them(String stages) {
        var json = stages.replace('\'', '"');
        assertThat(ask(json.replace("$c", "other"), "other").toJson())
                .contains("hello")
                .doesNotContain("errors");
        for (var name : new String[] {"accounts", "ACCOUNTS", "acl", "_properties", "system.users"}) {
            var answer = ask(json.replace("$c", name), name);
            assertThat(answer.getDocument("data").get("f").isNull()).as(name).isTrue();
            assertThat(answer.getArray("errors")).as(name).hasSize(1);
            assertThat(answer.toJson()).as(name).doesNotContain("canary");
        }
        // to MongoDB this is the name of a collection with a dot, or an error
        assertThat(ask(json.replace("$c", db + ".accounts"), db + ".accounts").toJson())
                .doesNotContain("canary");
    }

    @Test
    void accounts_that_are_mapped_themselves_have_no_passwords() {
        admin.define("a", """
                {"schema": "type Query { f: [BsonDocument] p: [BsonDocument] byPassword: [BsonDocument] }",
                 "mappings": {"Query": {
                   "f": {"db": "$db", "collection": "accounts"},
                   "p": {"db": "$db", "collection": "accounts", "stages": [{"$set": {"copy": "$password"}}]},
                   "byPassword": {"db": "$db", "collection": "accounts", "find": {"password": {"$exists": true}}}}}}
                """.replace("$db", db));
        var data = admin.answer("a", "{f p byPassword}").getDocument("data");
        for (var field : new String[] {"f", "p"}) {
            assertThat(data.getArray(field))
                    .anySatisfy(account -> assertThat(account.asDocument())
                            .containsEntry("_id", new BsonString("canary"))
                            .doesNotContainKeys("password", "copy"));
        }
        assertThat(data.getArray("byPassword")).isEmpty();
    }

    /// Such as the log of all writes, which contains the accounts.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "local/oplog.rs",
                "config/transactions",
                "admin/system.version",
                "$db/_properties",
                "$db/x.chunks"
            })
    void no_mapping_reads_what_is_reserved(String name) {
        var source = name.replace("$db", db).split("/");
        for (var how : new String[] {"\"find\": {}", "\"stages\": [{\"$match\": {}}]"}) {
            var stored = admin.send("PUT", "/defs/gql-apps/r?wm=upsert", """
                    {"schema": "type Query { f: [BsonDocument] }",
                     "mappings": {"Query": {"f": {"db": "%s", "collection": "%s", "as": "app", %s}}}}
                    """.formatted(source[0], source[1], how));
            assertThat(stored.body()).contains("the mapping for Query.f will fail: reserved resource");
            var answer = admin.send("POST", "/graphql/r", "{\"query\": \"{f}\"}");
            assertThat(answer.body()).contains("\"f\":null", "reserved resource");
        }
    }
}
