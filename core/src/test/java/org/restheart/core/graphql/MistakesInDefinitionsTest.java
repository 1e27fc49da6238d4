package org.restheart.core.graphql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.net.http.HttpResponse;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.data.ConformanceGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Names that authors of definitions, and of requests, have misspelt.
@WithMongo
class MistakesInDefinitionsTest {
    @AutoClose
    private static ConformanceGateway gateway;

    private static GraphqlClient admin;

    private final TestMongo mongo;

    MistakesInDefinitionsTest(TestMongo mongo) {
        this.mongo = mongo;
    }

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = GraphqlGateway.start(mongo, "verbose: false");
        admin = new GraphqlClient(gateway, "admin");
        mongo.database().getCollection("c").insertOne(new Document("_id", 1).append("kind", "A"));
    }

    @BeforeEach
    void clear() {
        mongo.database().getCollection("gql-apps").deleteMany(new Document());
    }

    private String definition() {
        return """
            {"descriptor": {"enabled": true},
             "schema": "enum Kind { A B } type Item { _id: Int sku: String kind: Kind parts(max: Int): [Item] }
                        type Query { items(max: Int, min: Int, page: Page): [Item] piped: [Item] }
                        input Page { size: Int }",
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
        var replaced = right.replace("$db", mongo.databaseName());
        assertThat(definition()).contains(replaced);
        return admin.send("PUT", "/defs/gql-apps/app?wm=upsert", definition().replace(replaced, wrong));
    }

    @Test
    void nothing_is_said_about_a_right_definition() {
        var written = define("", "");
        assertStatus(201, written);
        assertThat(written.headers().firstValue("Warning")).isEmpty();
        assertThat(written.body()).doesNotContain("_warnings");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'$group': {'_id': '$a', 'n': {'$sum': 1}, 'first': {'$top': {'sortBy': {'a': 1}, 'output': '$b'}}}}",
                "{'$match': {'$expr': {'$eq': [{'$literal': '$summ'}, {'$getField': 'a'}]}, 'at': {'$geoWithin':"
                        + " {'$box': []}}}}",
                "{'$project': {'a': {'$literal': {'$summ': 1}}, 's': {'$meta': 'textScore'}}}",
                "{'$facet': {'a': [{'$match': {'n': {'$bitsAllSet': 1}}}, {'$count': 'n'}]}}",
                "{'$setWindowFields': {'sortBy': {'a': 1}, 'output': {'r': {'$shift': {'output': '$a', 'by': 1}}}}}",
                "{'$match': {'a': {'$arg': ['@user.a.b', 1]}, 'b': {'$arg': ['@user', 1]}}}"
            })
    void nothing_is_said_about_a_stage_of_mongodb(String stage) {
        var written = define(stage.replace('\'', '"'), "{\"$match\": {}}");
        assertStatus(201, written);
        assertThat(written.headers().allValues("Warning")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"sort\": {\"a\": 1, \"b\": -1.0, \"s\": {\"$meta\": \"textScore\"}}, \"skip\": 5, \"limit\": 0",
                "\"sort\": {\"a\": {\"$arg\": [\"min\", 1]}}, \"skip\": {\"$arg\": \"min\"}, \"limit\": {\"$arg\":"
                        + " \"page.size\"}",
                "\"sort\": {\"$arg\": \"max\"}, \"limit\": {\"$arg\": [\"max\", {\"$arg\": [\"min\", 7.0]}]}"
            })
    void nothing_is_said_about_numbers_and_orders_that_work(String right) {
        var written = define(right, "\"limit\": {\"$arg\": [\"max\", 20]}");
        assertStatus(201, written);
        assertThat(written.headers().allValues("Warning")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'maker.$id': 1, 'maker': {'$ref': 'c', '$id': 1, '$db': 'd'}}",
                "{'n': {'$bitsAllSet': 1, '$bitsAnySet': 1, '$bitsAllClear': 2, '$bitsAnyClear': [2]}}",
                "{'at': {'$geoWithin': {'$box': [[0, 0], [1, 1]]}}, 'to': {'$geoWithin': {'$center': [[0, 0], 1]}}}",
                "{'at': {'$geoWithin': {'$polygon': [[0, 0]]}}, 'to': {'$geoWithin': {'$centerSphere': [[0, 0], 1]}}}",
                "{'$text': {'$search': 'a', '$language': 'en', '$caseSensitive': true, '$diacriticSensitive': true}}"
            })
    void nothing_is_said_about_an_operator_of_mongodb(String filter) {
        var written = define("\"find\": " + filter.replace('\'', '"'), "\"find\": {\"_id\": {\"$fk\": \"_id\"}}");
        assertStatus(201, written);
        assertThat(written.headers().allValues("Warning")).isEmpty();
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
        "user.id"    | "@user.userid" | $ifarg in the mapping for Query.piped names user, which is no argument; did you mean @user?
        $mach        | $match       | the mapping for Query.piped has the unknown stage $mach at stages[0]; did you mean $match?
        "match"      | "$match"     | the mapping for Query.piped has the unknown stage match; did you mean $match?
        "$if"        | "$ifarg"     | the mapping for Query.piped has the unknown stage $if at stages[1]; did you mean $ifarg?
        {}           | {"$match": {}} | the mapping for Query.piped has the stage {}: each stage is an object of its own, with one key
        {"$lookup": {"from": "c", "as": "x"}} | {"$match": {}} | the mapping for Query.piped will fail: aggregation pipeline security violation: Security violation: BLACKLISTED_STAGE operator '$lookup' at pipeline[0] - Pipeline stage is in security blacklist
        "$fkk"       | "$fk"        | the mapping for Item.parts has the unknown operator $fkk at find._id; did you mean $fk?
        "$var"       | "$fk"        | the mapping for Item.parts has the unknown operator $var at find._id; did you mean $arg?
        "collection": "itms", "limit" | "collection": "c", "limit" | the mapping for Query.items names the collection $db.itms, which does not exist
        "find": {"n": {"$fk": "n"}}, "limit": {"$arg": ["max", 20]}}, | "limit": {"$arg": ["max", 20]}}, | $fk in the mapping for Query.items is null: there is no parent document
        "items": "items", | "items": {"db": "$db", "collection": "c", "limit": {"$arg": ["max", 20]}}, | mapped to a path where there is no parent document, so null: Query.items
        "$ifvar"     | "$ifarg"     | the mapping for Query.piped has the unknown stage $ifvar at stages[1]; did you mean $ifarg?
        {"$match": {"a": {"$var": "max"}}} | {"$match": {}} | the mapping for Query.piped has the unknown operator $var at stages[0].$match.a; did you mean $arg?
        {"$match": {"a": {"$gtt": 1}}} | {"$match": {}} | the mapping for Query.piped has the unknown operator $gtt at stages[0].$match.a; did you mean $gt?
        {"$group": {"_id": "$a", "n": {"$summ": 1}}} | {"$match": {}} | the mapping for Query.piped has the unknown operator $summ at stages[0].$group.n; did you mean $sum?
        {"$facet": {"a": [{"$mach": {}}]}} | {"$match": {}} | the mapping for Query.piped has the unknown stage $mach at stages[0].$facet.a[0]; did you mean $match?
        "@usr.userid" | "@user.userid" | $ifarg in the mapping for Query.piped names @usr, which is no argument; did you mean @user?
        "find": {"$where": "true"}, "limit": {"$arg": ["max", 20]} | "limit": {"$arg": ["max", 20]} | the mapping for Query.items will fail: an operator that the server forbids (filterOperatorsBlacklist)
        "descriptor": {"uri": "/graphql/app", | "descriptor": { | descriptor.uri is below /graphql, so that the app is served at /graphql/graphql/app
        """)
    void a_misspelt_name_is_warned_of(String wrong, String right, String warning) {
        var written = right.equals("{")
                ? admin.send("PUT", "/defs/gql-apps/app?wm=upsert", definition().replaceFirst("\\{", wrong))
                : define(wrong, right);
        assertStatus(201, written);
        var said = warning.replace("$db", mongo.databaseName());
        assertThat(BsonDocument.parse(written.body()).getArray("_warnings")).contains(new BsonString(said));
        assertThat(written.headers().allValues("Warning")).contains("299 - \"" + said + "\"");
        assertThat(admin.send("PATCH", "/defs/gql-apps/app", "{\"descriptor.description\": \"x\"}")
                        .headers()
                        .allValues("Warning"))
                .contains("299 - \"" + said + "\"");
    }

    @Test
    void a_missing_key_is_found_in_a_misspelt_one() {
        assertThat(define("\"mapping\"", "\"mappings\"").body())
                .contains("'mapping' has no effect; did you mean mappings?");
        assertThat(define("\"shema\"", "\"schema\"").body()).contains("'shema' has no effect; did you mean schema?");
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '~', delimiter = '|', textBlock = """
        [Itm]          | [Item]        | The field type 'Itm' is not present when resolving type 'Query' [@1:88]; did you mean Item?
        sku: Date      | sku: String   | is not present when resolving type 'Item' [@1:19]; did you mean DateTime?
        sku: Date } scalar Date type X { y: Int | sku: String | There is no scalar implementation for the named  'Date' scalar type; did you mean DateTime? Beside GraphQL's own scalars there are BsonDocument, DateTime, Decimal128, Long, ObjectId, Regex, Timestamp, which are not declared
        sku: JSON      | sku: String   | ; did you mean BsonDocument?
        max: Integer   | max: Int      | ; did you mean Int?
        sku:: String   | sku: String   | Invalid GraphQL schema: Invalid syntax with offending token ':' at line 1 column 44
        type query     | type Query    | there is no type Query. 'query' has no effect; did you mean Query?
        "query": {     | "Query": {    | at least one Query. 'query' has no effect; did you mean Query?
        "coll": "c", "limit" | "collection": "c", "limit" | The mapping for Query.items does not specify the property 'collection'. 'coll' has no effect; did you mean collection?
        "filter": {    | "find": {     | 'filter' has no effect in the mapping for Item.parts; did you mean find?
        "wher": {      | "find": {     | 'wher' has no effect in the mapping for Item.parts; did you mean find?
        "db": "a b", "collection": "c", "limit" | "db": "$db", "collection": "c", "limit" | The mapping for Query.items has no valid name in the property 'db'
        "pipeline": [  | "stages": [   | 'pipeline' has no effect in the mapping for Query.piped; did you mean stages?
        "dataLoader": {"batching": "yes"}, "find" | "find" | 'batching' must be a Boolean in dataLoader of the mapping for Item.parts
        "dataLoader": {"maxBatchSize": 0}, "find" | "find" | 'maxBatchSize' must be 1 or more in dataLoader of the mapping for Item.parts
        """)
    void a_definition_that_cannot_work_is_refused_with_what_was_meant(String wrong, String right, String message) {
        var written = define(wrong, right);
        assertStatus(400, written);
        assertThat(BsonDocument.parse(written.body()).getString("message").getValue())
                .contains(message)
                .doesNotContain("\n")
                .doesNotContain("errors=");
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '~', delimiter = '|', textBlock = """
        {"$typeResolver": {"It": "true"}}    | does not map all union members: Item, Part.
        {"$typeResolver": {"Itm": "true", "Part": "true"}} | union members: Item. 'Itm' has no effect; did you mean Item?
        {"$typeresolver": {"Item": "true", "Part": "true"}} | Missing $typeResolver for union U. '$typeresolver' has no effect; did you mean $typeResolver?
        {"$typeResolver": {"Item": "field-exist(a)", "Part": "true"}} | unknown predicate 'field-exist'; did you mean field-exists?
        """)
    void so_is_a_resolver(String resolver, String message) {
        var written = admin.send("PUT", "/defs/gql-apps/app?wm=upsert", """
            {"schema": "type Item { a: Int } type Part { b: Int } union U = Item | Part type Query { u: U }",
             "mappings": {"U": %s, "Query": {"u": {"db": "d", "collection": "c"}}}}
            """.formatted(resolver));
        assertStatus(400, written);
        assertThat(written.body()).contains(message);
    }

    @Test
    void a_resolver_of_a_type_that_cannot_be_is_warned_of() {
        var written = admin.send("PUT", "/defs/gql-apps/app?wm=upsert", """
            {"schema": "type Item { a: Int } union U = Item type Query { u: U }",
             "mappings": {"U": {"$typeResolver": {"Item": "true", "Itm": "true"}}, "Query": {"u": {"db": "d", "collection": "c"}}}}
            """);
        assertStatus(201, written);
        assertThat(written.headers().allValues("Warning"))
                .contains("299 - \"$typeResolver for U names Itm, which is none of its types; did you mean Item?\"");
    }

    /// Quoted texts of predicates are of any length.
    @Test
    void a_long_predicate_is_read() {
        var written = admin.send(
                "PUT", "/defs/gql-apps/app?wm=upsert", """
                    {"schema": "type Item { a: Int } union U = Item type Query { u: U }",
                     "mappings": {"U": {"$typeResolver": {"Item": "value-eq('%s')"}}, "Query": {"u": {"db": "d", "collection": "c"}}}}
                    """.formatted("\\\"" + "x\\\\n".repeat(50_000) + "\\\""));
        assertStatus(201, written);
    }

    @Test
    void queries_name_the_operator_or_the_stage_that_mongodb_does_not_know() {
        define("$fkk", "$fk");
        assertThat(admin.ask("app", "{items{parts{_id}}}").body()).contains("unknown operator: $fkk");
        define("$mach", "$match");
        assertThat(admin.ask("app", "{piped{_id}}").body()).contains("Unrecognized pipeline stage name: '$mach'");
    }
}
