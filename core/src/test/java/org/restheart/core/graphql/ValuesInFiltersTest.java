package org.restheart.core.graphql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonRegularExpression;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.restheart.core.data.ConformanceGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Whatever type a value has that documents or clients bring into a filter: it matches what `$eq` matches.
@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ValuesInFiltersTest {
    private static final BsonArray VALUES = BsonArray.parse("""
            ["k-1", "k-2", "", "$key", "^k", 1, 1.5, {"$numberLong": "1"}, {"$numberDecimal": "1.50"}, true, null,
             {"$oid": "0123456789abcdef01234567"}, {"$date": "2023-11-14T22:13:20Z"}, {"$timestamp": {"t": 1, "i": 2}},
             {"$binary": {"base64": "AAEC", "subType": "00"}}, {"$minKey": 1}, {"$maxKey": 1}, {"$code": "f"},
             {"$regularExpression": {"pattern": "^k", "options": ""}},
             {"$regularExpression": {"pattern": "", "options": "i"}},
             ["k-1"], ["k-1", "k-2"], [], [{"$regularExpression": {"pattern": "^k", "options": ""}}],
             {"a": "k-1"}, {"a": {"$regularExpression": {"pattern": "", "options": ""}}}, {}]
            """);
    private static final BsonArray OPERATORS = BsonArray.parse("[{\"$gt\": \"\"}, {\"$ne\": 1}]");

    private final TestMongo mongo;
    private final String db;

    @AutoClose
    private final ConformanceGateway gateway;

    ValuesInFiltersTest(TestMongo mongo) {
        this.mongo = mongo;
        this.db = mongo.newDatabaseName();
        this.gateway = GraphqlGateway.start(mongo, "verbose: false");
        var documents = new ArrayList<BsonDocument>();
        documents.add(new BsonDocument("_id", new BsonInt32(-1)));
        Stream.concat(VALUES.stream(), OPERATORS.stream())
                .forEach(value -> documents.add(new BsonDocument("_id", new BsonInt32(documents.size()))
                        .append("key", value)
                        .append("keys", new BsonArray(List.of(value)))));
        mongo.client().getDatabase(db).getCollection("c", BsonDocument.class).insertMany(documents);
        new GraphqlClient(gateway, "admin").define("values", """
                {"schema": "type Doc { _id: Int equal: [Doc] among: [Doc] matched: [Doc] }
                            input In { like: Regex }
                            type Query { docs: [Doc] equal(q: BsonDocument): [Doc] among(q: BsonDocument): [Doc]
                                         all(q: BsonDocument): [Doc] matched(q: BsonDocument): [Doc]
                                         like(like: Regex): [Doc] likeAny(likes: [Regex]): [Doc] likeIn(in: In): [Doc] }",
                 "mappings": {
                   "Doc": {
                     "equal": {$c, "sort": {"_id": 1}, "find": {"key": {"$fk": "key"}}},
                     "among": {$c, "sort": {"_id": 1}, "find": {"key": {"$in": {"$fk": "keys"}}}},
                     "matched": {$c, "stages": [{"$match": {"key": {"$fk": "key"}}}, {"$sort": {"_id": 1}}]}},
                   "Query": {
                     "docs": {$c, "sort": {"_id": 1}},
                     "equal": {$c, "sort": {"_id": 1}, "find": {"key": {"$arg": "q.key"}}},
                     "among": {$c, "sort": {"_id": 1}, "find": {"key": {"$in": {"$arg": "q.keys"}}}},
                     "all": {$c, "sort": {"_id": 1}, "find": {"$arg": "q"}},
                     "matched": {$c, "stages": [{"$match": {"key": {"$arg": "q.key"}}}, {"$sort": {"_id": 1}}]},
                     "like": {$c, "sort": {"_id": 1}, "find": {"key": {"$arg": "like"}}},
                     "likeAny": {$c, "sort": {"_id": 1}, "find": {"key": {"$in": {"$arg": "likes"}}}},
                     "likeIn": {$c, "sort": {"_id": 1}, "find": {"key": {"$arg": "in.like"}}}}}}
                """.replace("\n", " ")
                .replace("$c,", "\"db\": \"" + db + "\", \"collection\": \"c\","));
    }

    static Stream<BsonValue> values() {
        return VALUES.stream();
    }

    private List<Integer> equalTo(BsonValue value) {
        var found = new ArrayList<Integer>();
        mongo.client()
                .getDatabase(db)
                .getCollection("c", BsonDocument.class)
                .find(new BsonDocument("key", new BsonDocument("$eq", value)))
                .sort(new BsonDocument("_id", new BsonInt32(1)))
                .forEach(document -> found.add(document.getInt32("_id").getValue()));
        return found;
    }

    private BsonDocument ask(String query, BsonDocument variables) {
        var body = new BsonDocument("query", new BsonString(query)).append("variables", variables);
        return BsonDocument.parse(new GraphqlClient(gateway, "ada")
                .send("POST", "/graphql/values", body.toJson())
                .body());
    }

    private static List<Integer> ids(BsonValue found) {
        return found.asArray().stream()
                .map(each -> each.asDocument().getInt32("_id").getValue())
                .toList();
    }

    @Test
    void a_stored_value_matches_what_it_equals() {
        var answer = ask("{docs{_id equal{_id} among{_id} matched{_id}}}", new BsonDocument());
        assertThat(answer.get("errors")).isNull();
        var all = new ArrayList<BsonValue>(VALUES);
        all.addAll(OPERATORS);
        var documents = answer.getDocument("data").getArray("docs").stream()
                .map(BsonValue::asDocument)
                .filter(document -> document.getInt32("_id").getValue() > 0)
                .toList();
        assertThat(documents).hasSize(all.size());
        for (var document : documents) {
            int id = document.getInt32("_id").getValue();
            var value = all.get(id - 1);
            assertThat(ids(document.get("equal"))).as("%s", value).isEqualTo(equalTo(value));
            assertThat(ids(document.get("matched"))).as("%s", value).isEqualTo(equalTo(value));
            boolean leftOut = value.isRegularExpression() || OPERATORS.contains(value);
            assertThat(ids(document.get("among"))).as("%s", value).isEqualTo(leftOut ? List.of() : equalTo(value));
        }
    }

    @ParameterizedTest
    @MethodSource("values")
    void an_argument_matches_what_it_equals(BsonValue value) {
        var sent = new BsonDocument("q", new BsonDocument("key", value).append("keys", new BsonArray(List.of(value))));
        var answer = ask("query($q: BsonDocument){equal(q: $q){_id} among(q: $q){_id} matched(q: $q){_id}}", sent);
        assertThat(answer.get("errors")).isNull();
        var data = answer.getDocument("data");
        assertThat(ids(data.get("equal"))).isEqualTo(equalTo(value));
        assertThat(ids(data.get("matched"))).isEqualTo(equalTo(value));
        assertThat(ids(data.get("among"))).isEqualTo(value.isRegularExpression() ? List.of() : equalTo(value));
        var whole =
                ask("query($q: BsonDocument){all(q: $q){_id}}", new BsonDocument("q", new BsonDocument("key", value)));
        assertThat(ids(whole.getDocument("data").get("all"))).isEqualTo(equalTo(value));
    }

    @Test
    void an_argument_that_the_schema_declares_as_a_regular_expression_is_a_pattern() {
        var answer = ask(
                "query($l: Regex){like(like: $l){_id} likeAny(likes: [$l, \"2$\"]){_id} likeIn(in: {like: $l}){_id}}",
                new BsonDocument("l", new BsonRegularExpression("^k-1")));
        assertThat(answer.get("errors")).isNull();
        assertThat(ids(answer.getDocument("data").get("like"))).startsWith(1).hasSize(3);
        assertThat(ids(answer.getDocument("data").get("likeAny"))).startsWith(1, 2);
        assertThat(ids(answer.getDocument("data").get("likeIn"))).startsWith(1);
    }

    @Test
    void a_list_that_is_not_there_matches_nothing() {
        var answer = ask("query($q: BsonDocument){among(q: $q){_id}}", BsonDocument.parse("{q: {keys: null}}"));
        assertThat(ids(answer.getDocument("data").get("among"))).isEmpty();
    }
}
