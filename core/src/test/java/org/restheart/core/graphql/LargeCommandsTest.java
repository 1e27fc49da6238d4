package org.restheart.core.graphql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.data.ConformanceGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Queries of one level that are larger together than a command may be, and by themselves much smaller.
@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LargeCommandsTest {
    private static final int PARENTS = 18;
    private static final String TEXT = "x".repeat(1_000_000);

    private final String db;

    @AutoClose
    private final ConformanceGateway gateway;

    LargeCommandsTest(TestMongo mongo) {
        this.db = mongo.newDatabaseName();
        this.gateway = GraphqlGateway.start(mongo, "verbose: false");
        var items = mongo.client().getDatabase(db).getCollection("items");
        items.insertMany(IntStream.range(0, PARENTS)
                .mapToObj(i -> new Document("_id", i).append("key", i + TEXT))
                .toList());
        items.insertOne(new Document("_id", 7 + TEXT).append("k", 7 + TEXT).append("name", "seven"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"k\": {\"$fk\": \"key\"}}",
                "{\"_id\": {\"$fk\": \"key\"}}",
                "{\"k\": {\"$gte\": {\"$fk\": \"key\"}, \"$lte\": {\"$fk\": \"key\"}}}"
            })
    void they_are_answered_as_alone(String find) {
        var admin = new GraphqlClient(gateway, "admin");
        admin.define("large", """
                {"schema": "type Item { _id: Int name: String other: Item } type Query { items: [Item] }",
                 "mappings": {
                   "Item": {"other": {"db": "$db", "collection": "items", "find": $find}},
                   "Query": {"items": {"db": "$db", "collection": "items", "find": {"key": {"$exists": true}}, "sort": {"_id": 1}}}}}
                """.replace("$db", db).replace("$find", find));
        var answer = admin.answer("large", "{items{_id other{name}}}");
        assertThat(answer.get("errors")).isNull();
        var found = answer.getDocument("data").getArray("items");
        assertThat(found).hasSize(PARENTS);
        for (var item : found) {
            boolean isSeven = item.asDocument().getInt32("_id").getValue() == 7;
            assertThat(item.asDocument().get("other").isDocument()).isEqualTo(isSeven);
        }
    }
}
