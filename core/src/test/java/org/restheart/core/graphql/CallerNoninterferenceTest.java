package org.restheart.core.graphql;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.BsonArray;
import org.bson.BsonValue;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.core.data.ConformanceGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Random mappings that read as their callers: they find what the caller's REST request finds, and what the caller must
/// not see changes no answer. There are two worlds for each caller, which differ only in that.
@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CallerNoninterferenceTest {
    private static final long SEED = Long.getLong("graphql.seed", 20_261);
    private static final int DOCUMENTS = 40;
    private static final int MAPPINGS = 60;

    private final SplittableRandom random = new SplittableRandom(SEED);
    private final TestMongo mongo;
    private final String db;

    @AutoClose
    private final ConformanceGateway gateway;

    private final List<Asked> asked = new ArrayList<>();

    /// @param filter as a REST request says it; empty for a pipeline
    private record Asked(String mapping, String filter, String sort, int limit) {}

    CallerNoninterferenceTest(TestMongo mongo) {
        this.mongo = mongo;
        this.db = mongo.newDatabaseName();
        this.gateway = GraphqlGateway.start(mongo, "verbose: false");
        for (var user : List.of("ada", "bob", "cat")) {
            fill(user);
        }
        for (int i = 0; i < MAPPINGS; i++) {
            asked.add(i % 3 == 2 ? pipeline() : find());
        }
        for (var user : List.of("ada", "bob", "cat")) {
            define(user + 1);
            define(user + 2);
        }
    }

    /// The second world differs in other people's documents, unless the caller sees all, and in what is secret, unless
    /// the caller sees that.
    private void fill(String user) {
        var database = mongo.client().getDatabase(db);
        var first = new ArrayList<Document>();
        var second = new ArrayList<Document>();
        for (int i = 0; i < DOCUMENTS; i++) {
            var owner = of("ada", "bob", "cat");
            var document = new Document("_id", i)
                    .append("owner", owner)
                    .append("n", random.nextInt(4))
                    .append("secret", random.nextInt(4))
                    .append("d", new Document("k", random.nextInt(3)));
            first.add(document);
            var other = new Document(document);
            if (user.equals("bob")) {
                other.append("secret", random.nextInt(4));
                second.add(other);
            } else if (owner.equals(user)) {
                second.add(user.equals("cat") ? other.append("secret", random.nextInt(4)) : other);
            } else if (random.nextBoolean()) {
                second.add(other.append("n", random.nextInt(4)).append("secret", random.nextInt(4)));
            }
        }
        database.getCollection(user + 1).insertMany(first);
        database.getCollection(user + 2).insertMany(second);
    }

    private String of(String... choices) {
        return choices[random.nextInt(choices.length)];
    }

    private String filter(int depth) {
        return switch (random.nextInt(depth > 2 ? 4 : 7)) {
            case 0 -> "{\"n\": " + random.nextInt(4) + "}";
            case 1 ->
                "{\"" + of("n", "d.k", "secret") + "\": {\"" + of("$gt", "$lte", "$ne") + "\": " + random.nextInt(4)
                        + "}}";
            case 2 -> "{\"owner\": {\"$in\": [\"" + of("ada", "bob") + "\", \"" + of("bob", "cat") + "\"]}}";
            case 3 -> "{\"" + of("secret", "n", "d") + "\": {\"$exists\": " + random.nextBoolean() + "}}";
            case 4 ->
                "{\"$expr\": {\"" + of("$gt", "$eq") + "\": [\"" + of("$n", "$secret") + "\", \""
                        + of("$d.k", "$secret", "$n") + "\"]}}";
            default ->
                "{\"" + of("$and", "$or", "$nor") + "\": [" + filter(depth + 1) + ", " + filter(depth + 1) + "]}";
        };
    }

    private String sort() {
        return "{\"" + of("n", "owner", "secret", "d.k") + "\": " + of("1", "-1") + ", \"_id\": 1}";
    }

    private Asked find() {
        int limit = 1 + random.nextInt(DOCUMENTS);
        int argument = random.nextInt(4);
        var filter = filter(0);
        var sort = sort();
        var both = "{\"$and\": [" + filter + ", {\"n\": {\"$ne\": %s}}]}";
        return new Asked(
                "\"find\": " + both.formatted("{\"$arg\": [\"x\", " + argument + "]}") + ", \"sort\": " + sort
                        + ", \"limit\": " + limit + ", \"dataLoader\": " + of("false", "{\"batching\": true}"),
                both.formatted(argument),
                sort,
                limit);
    }

    private Asked pipeline() {
        var stages = IntStream.rangeClosed(0, random.nextInt(3))
                .mapToObj(_ -> stage())
                .collect(Collectors.joining(", "));
        return new Asked("\"stages\": [{\"$sort\": {\"_id\": 1}}, " + stages + "]", "", "", 0);
    }

    private String stage() {
        return switch (random.nextInt(6)) {
            case 0 -> "{\"$match\": " + filter(1) + "}";
            case 1 -> "{\"$sort\": " + sort() + "}";
            case 2 -> "{\"$set\": {\"n\": {\"$add\": [\"$n\", {\"$ifNull\": [\"$secret\", 0]}]}}}";
            case 3 -> "{\"$set\": {\"all\": \"$$ROOT\"}}";
            case 4 -> "{\"$facet\": {\"f\": [{\"$match\": " + filter(1) + "}]}}";
            default -> "{\"$group\": {\"_id\": null, \"n\": {\"$sum\": \"$secret\"}, \"o\": {\"$sum\": 1}}}";
        };
    }

    private void define(String collection) {
        var fields = IntStream.range(0, MAPPINGS)
                .mapToObj(i -> "f" + i + "(x: Int): [BsonDocument]")
                .collect(Collectors.joining(" "));
        var mappings = IntStream.range(0, MAPPINGS)
                .mapToObj(i -> "\"f" + i + "\": {\"db\": \"" + db + "\", \"collection\": \"" + collection
                        + "\", \"as\": \"caller\", " + asked.get(i).mapping + "}")
                .collect(Collectors.joining(", "));
        new GraphqlClient(gateway, "admin")
                .define(
                        collection,
                        "{\"schema\": \"type Query { " + fields + " }\", \"mappings\": {\"Query\": {" + mappings
                                + "}}}");
    }

    private static String query() {
        return IntStream.range(0, MAPPINGS).mapToObj(i -> "f" + i).collect(Collectors.joining(" ", "{", "}"));
    }

    @ParameterizedTest
    @CsvSource({"ada", "bob", "cat"})
    void what_the_caller_must_not_see_changes_no_answer(String user) {
        var client = new GraphqlClient(gateway, user);
        var first = client.answer(user + 1, query());
        var second = client.answer(user + 2, query());
        for (int i = 0; i < MAPPINGS; i++) {
            assertThat(second.getDocument("data").get("f" + i))
                    .as("seed %d, mapping %s", SEED, asked.get(i).mapping)
                    .isEqualTo(first.getDocument("data").get("f" + i));
        }
        assertThat(second.get("errors")).isEqualTo(first.get("errors"));
    }

    @ParameterizedTest
    @CsvSource({"ada", "bob", "cat"})
    void a_mapping_finds_what_the_callers_rest_request_finds(String user) {
        var client = new GraphqlClient(gateway, user);
        var answer = client.answer(user + 1, query()).getDocument("data");
        int compared = 0;
        for (int i = 0; i < MAPPINGS; i++) {
            var question = asked.get(i);
            var rest = client.send("GET", "/" + db + "/" + user + 1 + restQuery(question), "");
            if (!question.filter.isEmpty() && rest.statusCode() == 200) { // else it names what is hidden
                compared++;
                assertThat(answer.getArray("f" + i))
                        .as("seed %d, mapping %s", SEED, question.mapping)
                        .isEqualTo(BsonArray.parse(rest.body()));
            }
        }
        assertThat(compared).isGreaterThan(user.equals("ada") ? MAPPINGS / 2 : 3);
    }

    private static String restQuery(Asked question) {
        return "?pagesize=" + Math.max(1, question.limit) + parameter("filter", question.filter)
                + parameter("sort", question.sort);
    }

    private static String parameter(String name, String json) {
        return json.isEmpty() ? "" : "&" + name + "=" + URLEncoder.encode(json, StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource({"ada", "bob", "cat"})
    void who_has_no_permission_finds_nothing(String user) {
        var answer = new GraphqlClient(gateway, "eve").answer(user + 1, query());
        assertThat(answer.getArray("errors")).hasSize(MAPPINGS);
        assertThat(answer.getDocument("data").values()).allMatch(BsonValue::isNull);
    }
}
