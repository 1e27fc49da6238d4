package org.restheart.core.graphql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.restheart.core.data.ConformanceGateway;
import org.restheart.core.security.LogLines;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The names of operations in metrics.
@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OperationsTest {
    /// Fields whose names are longer together than a label.
    private static final String MANY = IntStream.range(0, 20)
            .mapToObj(i -> "fieldWithALongName" + i + "{_id}")
            .collect(Collectors.joining(" "));

    @AutoClose
    private final ConformanceGateway gateway;

    private final GraphqlClient admin;

    OperationsTest(TestMongo mongo) {
        this.gateway = GraphqlGateway.start(mongo, "verbose: false");
        this.admin = new GraphqlClient(gateway, "admin");
        admin.define(
                "shop", """
                {"schema": "type Doc { _id: Int } type Query { items: [Doc] makers: [Doc] count: Int $many }",
                 "mappings": {"Query": {"items": {"db": "$db", "collection": "c"}, "makers": {"db": "$db", "collection": "c"}}}}
                """.replace("$db", mongo.newDatabaseName()).replace("$many", MANY.replace("{_id}", ": [Doc]")));
    }

    private void ask(String query, String operation) {
        var body = new BsonDocument("query", new BsonString(query));
        if (!operation.isEmpty()) {
            body.append("operationName", new BsonString(operation));
        }
        admin.send("POST", "/graphql/shop", body.toJson());
    }

    @Test
    void the_log_names_the_operation() {
        try (var log = new LogLines()) {
            ask("query Logged {items{_id}}", "Logged");
            await().untilAsserted(() -> assertThat(log.all())
                    .anyMatch(line -> line.contains("POST") && line.contains(" operation=Logged")));
        }
    }

    @Test
    void labels_contain_the_operation_and_its_fields() {
        ask("{items{_id} x: makers{_id} again: items{_id} count}", "");
        ask("query Makers {makers{_id}} query Items {items{_id}}", "Items");
        ask("query Wrong {nope{_id}}", "");
        ask("{" + "a".repeat(5_000), "");
        ask("query Many {" + MANY + "}", "");
        ask("query " + "N".repeat(300) + " {items{_id}}", "");
        await().untilAsserted(() -> assertThat(
                        admin.send("GET", "/metrics/graphql/*", "").body().lines())
                .filteredOn(line -> line.startsWith("http_requests_count{"))
                .anyMatch(line -> line.contains("code=\"200\",query=\"items,makers\",operation=\"\",} 1.0"))
                .anyMatch(line -> line.contains("code=\"200\",query=\"makers\",operation=\"Items\",} 1.0"))
                .anyMatch(line -> line.contains("code=\"200\",query=\"_other\",operation=\"Many\",} 1.0"))
                .anyMatch(line -> line.contains("code=\"200\",query=\"items\",operation=\"_other\",} 1.0"))
                .anyMatch(line -> line.contains("code=\"400\",query=\"_other\",operation=\"\",} 2.0")));
    }
}
