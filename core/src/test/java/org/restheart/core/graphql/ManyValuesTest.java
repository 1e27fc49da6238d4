package org.restheart.core.graphql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// A short query can select more values than fit into memory, from lists within lists.
@WithMongo
class ManyValuesTest {
    @Test
    void a_result_of_too_many_values_is_given_up_while_it_is_built(TestMongo mongo) {
        var db = mongo.newDatabaseName();
        var list = IntStream.range(0, 300).mapToObj(i -> new Document("x", i)).toList();
        mongo.client()
                .getDatabase(db)
                .getCollection("c")
                .insertMany(IntStream.range(0, 500)
                        .mapToObj(i -> new Document("_id", i).append("list", List.copyOf(list)))
                        .toList());
        try (var gateway = GraphqlGateway.start(mongo, "max-response-bytes: 2000000000")) {
            var admin = new GraphqlClient(gateway, "admin");
            admin.define("app", """
                    {"schema": "type Sub { x: Int } type Doc { list: [Sub] } type Query { docs: [Doc] }",
                     "mappings": {"Query": {"docs": {"db": "$db", "collection": "c", "limit": 500}}}}""".replace("$db", db));
            var refused = admin.send("POST", "/graphql/app", query(400));
            assertThat(refused.statusCode()).isEqualTo(400);
            assertThat(refused.body()).contains("or takes as much memory");
            assertThat(admin.send("POST", "/graphql/app", query(1)).statusCode())
                    .as("their memory is free again")
                    .isEqualTo(200);
        }
    }

    private static String query(int aliases) {
        return "{\"query\": \"{docs{list{"
                + IntStream.range(0, aliases).mapToObj(i -> "a" + i + ":x").collect(Collectors.joining(" "))
                + "}}}\"}";
    }
}
