package org.restheart.core.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Collation;
import com.mongodb.client.model.CollationStrength;
import com.mongodb.client.model.CreateCollectionOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.testkit.Responses;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The parameter `embed`: what it costs, what bounds it, and that answers which requests share are those of each
/// caller.
@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EmbeddingTest {
    private static final int ORDERS = 120;
    private static final int CUSTOMERS = 30;
    private static final int LINES = 5;

    /// Of the order that has most.
    private static final int MANY = 130;

    private final MongoDatabase database;
    private final String db;

    @AutoClose
    private final ConformanceGateway gateway;

    EmbeddingTest(TestMongo mongo) {
        database = mongo.database();
        db = "/" + mongo.databaseName();
        gateway = ConformanceGateway.start(mongo);
        var lines = new ArrayList<Document>();
        for (int order = 0; order < ORDERS; order++) {
            for (int line = 0; line < (order == 0 ? MANY : LINES); line++) {
                lines.add(new Document("_id", order * 1_000 + line)
                        .append("order", order)
                        .append("n", line)
                        .append("secret", "s" + line % 2)
                        .append("owner", line % 3 == 0 ? "ada" : "bob"));
            }
        }
        insert("lines", lines);
        insert(
                "customers",
                IntStream.range(0, CUSTOMERS)
                        .mapToObj(i -> new Document("_id", "c" + i)
                                .append("name", "N" + i)
                                .append("secret", i)
                                .append("owner", i % 2 == 0 ? "ada" : "bob"))
                        .toList());
        insert(
                "orders",
                IntStream.range(0, ORDERS)
                        .mapToObj(i -> new Document("_id", i)
                                .append("cust", "c" + i % (CUSTOMERS + 1)) // one of them does not exist
                                .append("owner", i % 4 == 3 ? "bob" : "ada"))
                        .toList());
        declare("orders", """
            {rel: 'customer', type: 'MANY_TO_ONE', role: 'OWNING', 'target-coll': 'customers', 'ref-field': 'cust'},
            {rel: 'lines', type: 'ONE_TO_MANY', role: 'INVERSE', 'target-coll': 'lines', 'ref-field': 'order'}\
            """);
        database.getCollection("lines").createIndex(new Document("order", 1));
    }

    private void insert(String collection, List<Document> documents) {
        database.getCollection(collection).insertMany(documents);
    }

    private void declare(String collection, String relationships) {
        database.getCollection("_properties")
                .insertOne(Document.parse("{_id: '_properties.%s', rels: [%s]}".formatted(collection, relationships)));
        assertStatus(200, gateway.as("admin").post("/ic?db=" + db.substring(1), ""));
    }

    private BsonArray list(String user, String target) {
        var response = gateway.as(user).get(db + encoded(target));
        assertStatus(200, response);
        return BsonArray.parse(response.body());
    }

    private static String encoded(String target) {
        return target.replace("{", "%7B").replace("}", "%7D").replace("\"", "%22");
    }

    private static BsonDocument embedded(BsonValue document) {
        return document.asDocument().getDocument("_embedded");
    }

    @ParameterizedTest
    @ValueSource(strings = {"admin", "ada", "bob"})
    void a_page_of_a_hundred_takes_one_command_for_itself_and_one_for_each_relationship(String user) {
        var commands = TestMongo.profiled(
                database,
                "{op: {$in: ['query', 'command', 'getmore']}, ns: {$in: ['%1$s.orders', '%1$s.lines', '%1$s.customers']}}"
                        .formatted(db.substring(1)),
                () -> assertThat(list(user, "/orders?pagesize=100&sort=_id&embed=customer,lines"))
                        .hasSizeGreaterThan(85));
        assertThat(commands).hasSizeLessThanOrEqualTo(3);
    }

    /// The same as requests of the caller for each document.
    @ParameterizedTest
    @ValueSource(strings = {"admin", "ada", "bob"})
    void embedded_documents_are_those_that_the_caller_is_sent_one_by_one(String user) {
        for (var order : list(user, "/orders?pagesize=100&sort=_id&embed=customer,lines")) {
            var id = order.asDocument().getInt32("_id").getValue();
            var customer = list(
                    user,
                    "/customers?filter={\"_id\":\""
                            + order.asDocument().getString("cust").getValue() + "\"}");
            assertThat(embedded(order).get("customer").isNull()).isEqualTo(customer.isEmpty());
            if (!customer.isEmpty()) {
                assertThat(embedded(order).get("customer")).isEqualTo(customer.getFirst());
            }
            assertThat(embedded(order).getArray("lines"))
                    .as("lines of %s", id)
                    .isEqualTo(list(user, "/lines?pagesize=100&filter={\"order\":" + id + "}"));
        }
    }

    /// A command has a thousand keys, and here are two for each of a thousand documents.
    @Test
    void documents_that_refer_to_the_same_ones_cost_one_command() {
        insert(
                "visits",
                IntStream.range(0, 1_000)
                        .mapToObj(i -> new Document("_id", i).append("customers", List.of("c1", "c2")))
                        .toList());
        declare("visits", """
            {rel: 'customers', type: 'MANY_TO_MANY', role: 'OWNING', 'target-coll': 'customers', 'ref-field': 'customers'}\
            """);
        var commands = TestMongo.profiled(
                database,
                "{op: {$in: ['query', 'command', 'getmore']}, ns: '%s.customers'}".formatted(db.substring(1)),
                () -> assertThat(list("admin", "/visits?pagesize=1000&embed=customers"))
                        .hasSize(1_000)
                        .allSatisfy(visit -> assertThat(embedded(visit).getArray("customers"))
                                .hasSize(2)));
        assertThat(commands).hasSize(1);
    }

    @Test
    void a_hundred_are_embedded_of_each_relationship_unless_the_request_has_a_limit() {
        assertThat(embedded(list("admin", "/orders?filter={\"_id\":0}&embed=lines")
                                .getFirst())
                        .getArray("lines"))
                .hasSize(100);
        var most = list("admin", "/orders?filter={\"_id\":{\"$lt\":2}}&sort=_id&embed={\"lines\":{\"limit\":1000}}");
        assertThat(embedded(most.getFirst()).getArray("lines")).hasSize(MANY);
        assertThat(embedded(most.getLast()).getArray("lines")).hasSize(LINES);
        var few = list(
                "admin",
                "/orders?pagesize=100&sort=_id&embed={\"lines\":{\"limit\":3,\"sort\":{\"n\":-1},\"keys\":{\"n\":1}}}");
        assertThat(few)
                .allSatisfy(
                        order -> assertThat(embedded(order).getArray("lines")).hasSize(3));
        assertThat(embedded(few.getFirst())
                        .getArray("lines")
                        .getFirst()
                        .asDocument()
                        .getInt32("n")
                        .getValue())
                .isEqualTo(MANY - 1);
    }

    @Test
    void more_than_an_answer_may_have_is_refused() {
        insert(
                "boxes",
                IntStream.range(0, 110).mapToObj(i -> new Document("_id", i)).toList());
        insert(
                "things",
                IntStream.range(0, 11_000)
                        .mapToObj(i -> new Document("_id", i).append("box", i % 110))
                        .toList());
        insert(
                "sheets",
                IntStream.range(0, 18)
                        .mapToObj(i -> new Document("_id", i).append("box", i).append("text", "x".repeat(1_000_000)))
                        .toList());
        declare("boxes", """
            {rel: 'things', type: 'ONE_TO_MANY', role: 'INVERSE', 'target-coll': 'things', 'ref-field': 'box'},
            {rel: 'sheets', type: 'ONE_TO_MANY', role: 'INVERSE', 'target-coll': 'sheets', 'ref-field': 'box'}\
            """);
        var many = gateway.as("admin").get(db + "/boxes?pagesize=110&embed=things");
        assertStatus(400, many);
        assertThat(many.body()).contains("at most 10000 documents and 16 MiB");
        assertThat(list("admin", "/boxes?pagesize=100&embed=things")).hasSize(100);
        var large = gateway.as("admin")
                .with("Accept", "application/problem+json")
                .get(db + "/boxes?pagesize=110&embed=sheets");
        assertStatus(400, large);
        assertThat(large.body()).contains("EMBED_TOO_LARGE");
        assertThat(list("admin", "/boxes?filter={\"_id\":{\"$lt\":15}}&embed={\"sheets\":{\"keys\":{\"text\":1}}}"))
                .hasSize(15);
        assertThat(list("admin", "/boxes?pagesize=110&embed={\"sheets\":{\"keys\":{\"text\":0}}}"))
                .hasSize(110);
        insert(
                "sheets",
                IntStream.range(18, 36)
                        .mapToObj(i ->
                                new Document("_id", i).append("box", i % 10).append("text", "x".repeat(1_000_000)))
                        .toList());
        assertThat(list("admin", "/boxes?filter={\"_id\":{\"$lt\":10}}&embed={\"sheets\":{\"limit\":1}}"))
                .hasSize(10);
    }

    @Test
    void the_relationships_of_all_parameters_of_a_request_are_counted() {
        insert("mirrors", List.of(new Document("_id", 1)));
        declare(
                "mirrors",
                IntStream.range(0, 22)
                        .mapToObj(i -> "{rel: 'r" + i + "', type: 'ONE_TO_ONE', role: 'INVERSE', 'target-coll':"
                                + " 'mirrors', 'ref-field': '_id'}")
                        .collect(Collectors.joining(",")));
        var some = IntStream.range(0, 11).mapToObj(i -> "r" + i).collect(Collectors.joining(","));
        var others = IntStream.range(11, 22).mapToObj(i -> "r" + i).collect(Collectors.joining(","));
        assertThat(list("admin", "/mirrors?embed=" + some + "&embed=" + some)).hasSize(1);
        var many = gateway.as("admin").get(db + "/mirrors?embed=" + some + "&embed=" + others);
        assertStatus(400, many);
        assertThat(many.body()).contains("more than 20 relationships");
    }

    /// The paths of some would be those of other resources.
    @ParameterizedTest
    @ValueSource(strings = {"", "_size", "_meta", "_indexes", "a/b", "*", "..", "system.profile", "$x", "a b"})
    void a_target_that_names_no_collection_has_no_documents_or_may_not_be_read(String target) {
        var name = "odd" + Integer.toHexString(target.hashCode());
        insert(name, List.of(new Document("_id", 1).append("to", 1)));
        declare(name, """
            {rel: 'to', type: 'MANY_TO_ONE', role: 'OWNING', 'target-coll': '%1$s', 'ref-field': 'to'},
            {rel: 'db', type: 'MANY_TO_ONE', role: 'OWNING', 'target-coll': '%1$s', 'target-db': '', 'ref-field': 'to'}\
            """.formatted(target));
        for (var relationship : List.of("to", "db")) {
            assertThat(gateway.as("admin")
                            .get(db + "/" + name + "?embed=" + relationship)
                            .statusCode())
                    .isIn(200, 400, 403);
        }
    }

    @Test
    void more_keys_than_one_command_has_keep_the_order_of_each_document() {
        insert(
                "leaves",
                IntStream.range(0, 3_000).mapToObj(i -> new Document("_id", i)).toList());
        insert(
                "trees",
                IntStream.range(0, 6)
                        .mapToObj(i -> new Document("_id", i)
                                .append(
                                        "leaves",
                                        IntStream.range(i * 500, i * 500 + 500 + i)
                                                .boxed()
                                                .toList()))
                        .toList());
        declare("trees", """
            {rel: 'leaves', type: 'ONE_TO_MANY', role: 'OWNING', 'target-coll': 'leaves', 'ref-field': 'leaves'}\
            """);
        for (var tree : list("admin", "/trees?sort=_id&embed={\"leaves\":{\"limit\":1000,\"sort\":{\"_id\":1}}}")) {
            int first = tree.asDocument().getInt32("_id").getValue() * 500;
            int end = Math.min(3_000, first + 500 + first / 500);
            assertThat(embedded(tree).getArray("leaves").stream()
                            .map(leaf -> leaf.asDocument().getInt32("_id").getValue()))
                    .isEqualTo(IntStream.range(first, end).boxed().toList());
        }
    }

    @Test
    void an_export_of_a_whole_collection_has_them_part_by_part() {
        var lines = gateway.as("admin")
                .with("Accept", "application/x-ndjson")
                .get(db + "/orders?sort=_id&embed=lines,customer")
                .body()
                .lines()
                .map(BsonDocument::parse)
                .toList();
        assertThat(lines).hasSize(ORDERS);
        assertThat(embedded(lines.getLast()).getArray("lines")).hasSize(LINES);
    }

    @Test
    void keys_are_compared_as_the_collection_compares_them() {
        database.createCollection(
                "tags",
                new CreateCollectionOptions()
                        .collation(Collation.builder()
                                .locale("en")
                                .collationStrength(CollationStrength.SECONDARY)
                                .build()));
        insert("tags", List.of(new Document("_id", "Red"), new Document("_id", "blue").append("of", "POST 1")));
        insert("posts", List.of(new Document("_id", "post 1").append("tags", List.of("red", "BLUE", "green"))));
        declare("posts", """
            {rel: 'tags', type: 'MANY_TO_MANY', role: 'OWNING', 'target-coll': 'tags', 'ref-field': 'tags'},
            {rel: 'about', type: 'ONE_TO_MANY', role: 'INVERSE', 'target-coll': 'tags', 'ref-field': 'of'}\
            """);
        assertThat(list("admin", "/posts?embed=tags,about").toString())
                .isEqualTo(BsonArray.parse("""
                    [{_id: 'post 1', tags: ['red', 'BLUE', 'green'], _embedded:
                      {tags: [{_id: 'Red'}, {_id: 'blue', of: 'POST 1'}], about: [{_id: 'blue', of: 'POST 1'}]}}]\
                    """).toString());
    }

    @Test
    void callers_who_ask_at_the_same_time_get_what_each_may_see() throws Exception {
        var target = "/orders?pagesize=50&sort=_id&embed=customer,lines";
        var expected = new ArrayList<BsonArray>();
        var users = List.of("admin", "ada", "bob");
        users.forEach(user -> expected.add(list(user, target)));
        assertThat(expected).doesNotHaveDuplicates();
        try (var clients = Executors.newFixedThreadPool(24)) {
            var answers = new ArrayList<Future<BsonArray>>();
            for (int i = 0; i < 240; i++) {
                var user = users.get(i % 3);
                answers.add(clients.submit(() -> list(user, target)));
            }
            for (int i = 0; i < answers.size(); i++) {
                assertThat(answers.get(i).get()).isEqualTo(expected.get(i % 3));
            }
        }
    }

    /// Nobody can tell whose the documents of such keys are: those of other requests would be read alone, too.
    @Test
    void keys_without_an_order_of_their_own_are_not_asked_for_with_those_of_others() {
        var id = new BsonBinary(UUID.fromString("01234567-89ab-cdef-0123-456789abcdef"));
        insert("tokens", List.of(new Document("_id", id)));
        insert("uses", List.of(new Document("_id", 1).append("token", id)));
        declare("uses", """
            {rel: 'token', type: 'MANY_TO_ONE', role: 'OWNING', 'target-coll': 'tokens', 'ref-field': 'token'}\
            """);
        double before = sharedCommands();
        var use = list("admin", "/uses?embed=token").getFirst();
        assertThat(embedded(use).getDocument("token").get("_id")).isEqualTo(id);
        assertThat(sharedCommands()).isEqualTo(before);
        assertThat(list("admin", "/orders?pagesize=5&embed=customer")).hasSize(5);
        assertThat(sharedCommands()).isEqualTo(before + 1);
    }

    private double sharedCommands() {
        return gateway.as("admin")
                .get("/metrics/coalescing")
                .body()
                .lines()
                .filter(line -> line.startsWith("coalescing_batch_size_count{kind=\"related\"} "))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    @Test
    void a_transaction_reads_what_it_has_written() {
        var admin = gateway.as("admin");
        var sid = Responses.createdId(admin.post("/_sessions", "{}"));
        assertStatus(201, admin.post("/_sessions/" + sid + "/_txns", "{}"));
        var inside = "sid=" + sid + "&txn=1";
        assertStatus(200, admin.patch(db + "/customers/c7?" + inside, "{\"name\": \"changed\"}"));
        assertStatus(201, admin.post(db + "/lines?" + inside, "{\"_id\": -1, \"order\": 7}"));
        var target = "/orders?filter={\"_id\":7}&embed=customer,lines";
        var seen = embedded(list("admin", target + "&" + inside).getFirst());
        assertThat(seen.getDocument("customer").getString("name").getValue()).isEqualTo("changed");
        assertThat(seen.getArray("lines")).hasSize(LINES + 1);
        assertThat(embedded(list("admin", target).getFirst()).getArray("lines")).hasSize(LINES);
        assertStatus(204, admin.delete("/_sessions/" + sid + "/_txns/1"));
    }

    @Test
    void keys_that_are_too_large_for_one_command_are_asked_for_in_several() {
        insert("names", List.of(new Document("_id", "k".repeat(20_000) + 1)));
        insert(
                "notes",
                IntStream.range(0, 1_000)
                        .mapToObj(i -> new Document("_id", i).append("name", "k".repeat(20_000) + i))
                        .toList());
        declare("notes", """
            {rel: 'name', type: 'MANY_TO_ONE', role: 'OWNING', 'target-coll': 'names', 'ref-field': 'name'}\
            """);
        var notes = list("admin", "/notes?pagesize=1000&sort=_id&embed={\"name\":{\"filter\":{\"x\":null}}}");
        assertThat(notes).hasSize(1_000);
        assertThat(embedded(notes.get(1)).get("name").isDocument()).isTrue();
        assertThat(embedded(notes.get(2)).get("name").isNull()).isTrue();
    }

    /// Not after a part of the page is sent.
    @Test
    void a_large_page_that_would_embed_too_much_at_its_end_is_refused() {
        insert(
                "folders",
                IntStream.range(0, 20)
                        .mapToObj(i -> new Document("_id", i).append("text", "x".repeat(1_000_000)))
                        .toList());
        insert(
                "papers",
                IntStream.range(0, 10_100)
                        .mapToObj(i -> new Document("_id", i).append("folder", 10 + i % 10))
                        .toList());
        declare("folders", """
            {rel: 'papers', type: 'ONE_TO_MANY', role: 'INVERSE', 'target-coll': 'papers', 'ref-field': 'folder'}\
            """);
        var target = db + "/folders?sort=_id&embed=%7B%22papers%22:%7B%22limit%22:1000%7D%7D&pagesize=";
        assertStatus(200, gateway.as("admin").get(target + 15));
        insert(
                "papers",
                IntStream.range(10_100, 10_300)
                        .mapToObj(i -> new Document("_id", i).append("folder", 5))
                        .toList());
        var many = gateway.as("admin").get(target + 20);
        assertStatus(400, many);
        assertThat(many.body()).contains("at most 10000 documents and 16 MiB");
    }

    /// In the form of clients, which is not that in which they are stored, and once.
    @Test
    void schemas_are_embedded_in_schemas_as_they_are_shown() {
        assertThat(gateway.as("admin").put(db + "/_schemas", """
            {"rels": [{"rel": "base", "type": "MANY_TO_ONE", "role": "OWNING", "target-coll": "_schemas", "ref-field": "title"},
                      {"rel": "rows", "type": "ONE_TO_MANY", "role": "INVERSE", "target-coll": "rows", "ref-field": "schema"}]}\
            """).statusCode()).isLessThan(300);
        var admin = gateway.as("admin");
        assertThat(admin.put(db + "/_schemas/base?wm=upsert", "{\"title\": \"none\", \"enum\": [\"_$a\"]}")
                        .statusCode())
                .isLessThan(300);
        assertThat(admin.put(db + "/_schemas/child?wm=upsert", "{\"title\": \"base\"}")
                        .statusCode())
                .isLessThan(300);
        insert("rows", List.of(new Document("_id", 1).append("schema", "child").append("_$kept", "_$kept")));
        var shown = BsonDocument.parse(admin.get(db + "/_schemas/base").body());
        var stored = BsonDocument.parse(admin.get(db + "/rows/1?id_type=NUMBER").body());
        var page = list("admin", "/_schemas?filter={\"_id\":\"child\"}&embed=base,rows");
        var one = BsonDocument.parse(
                admin.get(db + "/_schemas/child?embed=base,rows").body());
        for (var child : List.of(page.getFirst(), one)) {
            assertThat(embedded(child).get("base")).isEqualTo(shown);
            assertThat(embedded(child).getArray("rows").getFirst()).isEqualTo(stored);
            assertThat(child.asDocument().containsKey("$schema")).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/steps?pagesize=2&sort={\"_embedded\":1,\"_id\":1}&embed=self",
                "/steps?pagesize=2&sort=_id&keys={\"_id\":0,\"n\":1}&embed=self"
            })
    void the_next_page_begins_behind_what_is_stored(String target) {
        if (database.getCollection("steps").countDocuments() == 0) {
            insert(
                    "steps",
                    IntStream.range(0, 4)
                            .mapToObj(i ->
                                    new Document("_id", i).append("n", i).append("_embedded", new Document("x", i)))
                            .toList());
            database.getCollection("steps").createIndex(new Document("_embedded", 1).append("_id", 1));
            declare("steps", """
                {rel: 'self', type: 'ONE_TO_ONE', role: 'INVERSE', 'target-coll': 'steps', 'ref-field': '_id'}\
                """);
        }
        var first = gateway.as("admin").get(db + encoded(target));
        var next = first.headers().firstValue("Link").orElseThrow().replaceAll("<(.*)>.*", "$1");
        var second = gateway.as("admin").get(db + "/steps" + encoded(next));
        assertThat(BsonArray.parse(second.body()))
                .extracting(step -> step.asDocument().getInt32("n").getValue())
                .containsExactly(2, 3);
    }
}
