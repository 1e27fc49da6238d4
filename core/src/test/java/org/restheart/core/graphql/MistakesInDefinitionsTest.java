package org.restheart.core.graphql;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.core.dataapi.ConformanceGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Names that authors of definitions, and of requests, have misspelt.
@WithMongo
class MistakesInDefinitionsTest {
    private final TestMongo mongo;
    private ConformanceGateway gateway;
    private GraphqlClient admin;

    MistakesInDefinitionsTest(TestMongo mongo) {
        this.mongo = mongo;
    }

    @BeforeEach
    void start() {
        gateway = GraphqlGateway.start(mongo, "verbose: false");
        admin = new GraphqlClient(gateway, "admin");
        mongo.database().getCollection("c").drop();
        mongo.database().getCollection("c").insertOne(new org.bson.Document("_id", 1).append("kind", "A"));
    }

    @AfterEach
    void close() {
        gateway.close();
    }

    private String definition() {
        return """
                {"descriptor": {"enabled": true},
                 "schema": "enum Kind { A B } type Item { _id: Int sku: String kind: Kind parts(max: Int): [Item] }
                            type Query { items(max: Int, min: Int): [Item] piped: [Item] }",
                 "mappings": {
                   "Kind": {"A": "A"},
                   "Item": {"sku": "_id", "parts": {"db": "$db", "collection": "c", "find": {"_id": {"$fk": "_id"}},
                     "limit": {"$arg": ["max", {"$arg": ["rootDoc.n", 1]}]}}},
                   "Query": {
                     "items": {"db": "$db", "collection": "c", "limit": {"$arg": ["max", 20]}},
                     "piped": {"db": "$db", "collection": "c", "stages": [
                       {"$match": {}}, {"$ifarg": ["@user.userid", {"$limit": 5}]}]}}}}
                """.replaceAll("\\s*\\n\\s*", " ").replace("$db", mongo.databaseName());
    }

    private HttpResponse<String> define(String wrong, String right) {
        assertThat(definition()).contains(right);
        return admin.send("PUT", "/defs/gql-apps/app?wm=upsert", definition().replace(right, wrong));
    }

    @Test
    void nothing_is_said_about_a_right_definition() {
        var written = define("", "");
        assertThat(written.statusCode()).as(written.body()).isEqualTo(201);
        assertThat(written.headers().firstValue("Warning")).isEmpty();
        assertThat(written.body()).doesNotContain("_warnings");
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '~', delimiter = '|', textBlock = """
            "itmes"      | "items"      | the schema does not have what is mapped: Query.itmes; did you mean items?
            "itmes"      | "items"      | without mapping, so null: Query.items
            "Itm"        | "Item"       | the schema does not have what is mapped: Itm.sku, Itm.parts; did you mean Item?
            "skuu"       | "sku"        | the schema does not have what is mapped: Item.skuu; did you mean sku?
            {"a": "A"}   | {"A": "A"}   | the schema does not have what is mapped: Kind.a; did you mean A?
            "desciptor"  | "descriptor" | 'desciptor' has no effect in the definition; did you mean descriptor?
            {"docs": {}, | {            | 'docs' has no effect in the definition
            ["mx", 20]   | ["max", 20]  | $arg in the mapping for Query.items names mx, which is no argument; did you mean max?
            "user.id"    | "@user.userid" | $ifarg in the mapping for Query.piped names user, which is no argument
            $mach        | $match       | the mapping for Query.piped has the unknown stage $mach; did you mean $match?
            """)
    void a_misspelt_name_is_warned_of(String wrong, String right, String warning) {
        var written = right.equals("{")
                ? admin.send("PUT", "/defs/gql-apps/app?wm=upsert", definition().replaceFirst("\\{", wrong))
                : define(wrong, right);
        assertThat(written.statusCode()).as(written.body()).isEqualTo(201);
        assertThat(BsonDocument.parse(written.body()).getArray("_warnings")).contains(new BsonString(warning));
        assertThat(written.headers().allValues("Warning")).contains("299 - \"" + warning + "\"");
        assertThat(admin.send("PATCH", "/defs/gql-apps/app", "{\"descriptor.description\": \"x\"}")
                        .headers()
                        .allValues("Warning"))
                .contains("299 - \"" + warning + "\"");
    }

    @Test
    void a_missing_key_is_found_in_a_misspelt_one() {
        assertThat(define("\"mapping\"", "\"mappings\"").body())
                .contains("'mapping' has no effect; did you mean mappings?");
        assertThat(define("\"shema\"", "\"schema\"").body()).contains("'shema' has no effect; did you mean schema?");
    }

    @Test
    void queries_name_the_operator_or_the_stage_that_mongodb_does_not_know() {
        define("$fkk", "$fk");
        assertThat(admin.ask("app", "{items{parts{_id}}}").body()).contains("unknown operator: $fkk");
        define("$mach", "$match");
        assertThat(admin.ask("app", "{piped{_id}}").body()).contains("Unrecognized pipeline stage name: '$mach'");
    }
}
