package org.restheart.core.graphql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.restheart.core.data.ConformanceGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Short queries with large results are ended before they take the heap.
@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LargeResultsTest {
    private static final int MAX_BYTES = 8_000_000;

    @AutoClose
    private final ConformanceGateway gateway;

    private final GraphqlClient client;

    LargeResultsTest(TestMongo mongo) {
        var db = mongo.newDatabaseName();
        var elements = Collections.nCopies(20, new Document("x", 1));
        mongo.client()
                .getDatabase(db)
                .getCollection("items")
                .insertMany(IntStream.range(0, 1_000)
                        .mapToObj(i -> new Document("_id", i).append("list", elements))
                        .toList());
        mongo.client()
                .getDatabase(db)
                .getCollection("texts")
                .insertOne(new Document("_id", 1).append("text", "x".repeat(1_000_000)));
        gateway = GraphqlGateway.start(mongo, "max-response-bytes: " + MAX_BYTES);
        client = new GraphqlClient(gateway, "admin");
        client.define("large", """
            {"schema": "type Sub {x: Int} type Item {list: [Sub]} type Text {text: String}
                        type Query {items: [Item] text: Text}",
             "mappings": {"Query": {
               "items": {"db": "$db", "collection": "items", "limit": 1000},
               "text": {"db": "$db", "collection": "texts"}}}}
            """.replace("\n                            type", " type")
                .replace("$db", db));
    }

    private static String names(int number, String field) {
        return IntStream.range(0, number).mapToObj(i -> "a" + i + ":" + field).collect(Collectors.joining(" "));
    }

    private void assertTooLarge(String query) {
        var response = client.ask("large", query);
        assertStatus(400, response);
        assertThat(response.body()).contains("the response is larger than " + MAX_BYTES + " bytes");
    }

    private static long allocated() {
        return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean()).getTotalThreadAllocatedBytes();
    }

    @Test
    void a_field_of_many_elements_under_many_names_is_counted_while_it_is_computed() {
        assertStatus(200, client.ask("large", "{items{list{" + names(2, "x") + "}}}"));
        long before = allocated();
        assertTooLarge("{items{list{" + names(490, "x") + "}}}");
        assertThat(allocated() - before).isLessThan(400_000_000); // some GB for all of the 9,800,000 values
        assertTooLarge("{items{list{" + names(490, "__typename") + "}}}");
        assertTooLarge("{items{" + names(490, "list{x}") + "}}");
    }

    @Test
    void a_long_text_under_many_names_is_counted_as_often() {
        assertStatus(200, client.ask("large", "{text{" + names(3, "text") + "}}"));
        assertTooLarge("{text{" + names(490, "text") + "}}");
    }

    @Test
    void memory_is_given_back() throws Exception {
        try (var threads = Executors.newFixedThreadPool(8)) {
            var asked = new ArrayList<Future<Integer>>();
            for (int i = 0; i < 24; i++) {
                asked.add(threads.submit(() -> client.ask("large", "{items{list{" + names(490, "x") + "}}}")
                        .statusCode()));
            }
            for (var answer : asked) {
                assertThat(answer.get()).isIn(List.of(400, 503));
            }
        }
        assertStatus(200, client.ask("large", "{items{list{x}}}"));
    }
}
