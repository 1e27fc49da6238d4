package org.restheart.core.graphql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Listings of definitions that are sent in pieces.
@WithMongo
class ManyDefinitionsTest {
    private static final int APPS = 40;

    @Test
    void each_is_shown_as_it_was_written(TestMongo mongo) {
        try (var gateway = GraphqlGateway.start(mongo, "app-cache-ttr: 600000")) {
            var stored = """
                    {"_id": "$id", "schema": "type Query { a: String } # $text", "mappings": {"Query": {"a": {
                       "db": "d", "collection": "c", "find": {"a::b": {"_$fk": "c::d"}}}}}}
                    """.replace("$text", "x".repeat(60_000));
            var shown = BsonDocument.parse(stored.replace("a::b", "a.b").replace("_$fk", "$fk"));
            mongo.database()
                    .getCollection("gql-apps")
                    .insertMany(IntStream.range(0, APPS)
                            .mapToObj(i -> Document.parse(stored).append("_id", "app" + i))
                            .toList());
            var admin = new GraphqlClient(gateway, "admin");
            for (var mode : new String[] {"", "&jsonMode=extended"}) {
                var response = admin.send("GET", "/defs/gql-apps?pagesize=100" + mode, "");
                assertThat(response.body().length()).isGreaterThan(2 << 20);
                var definitions = BsonArray.parse(response.body());
                assertThat(definitions).hasSize(APPS);
                for (var definition : definitions) {
                    assertThat(definition.asDocument().get("mappings")).isEqualTo(shown.get("mappings"));
                }
            }
        }
    }
}
