package org.restheart.core.graphql;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoCollection;
import java.io.IOException;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.restheart.core.data.ConformanceGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Subscribers that do not receive their results.
@WithMongo
class SlowSubscribersTest {
    private static final int EVENTS = 40;
    private static final String TEXT = "x".repeat(1_000_000);
    private static final String QUERY = "subscription {item{_id text}}";

    @Test
    void who_takes_nothing_loses_the_connection_and_others_go_on(TestMongo mongo) throws Exception {
        mongo.database().createCollection("gql-apps");
        try (var gateway = GraphqlGateway.start(
                mongo,
                "app-cache-ttr: 600000",
                yaml -> yaml.replace("mongo: {", "mongo: {change-streams-max-waiting-bytes: 2000000, "))) {
            var items = define(mongo, gateway);
            try (var fast = GraphqlEvents.open(gateway, "admin", "live", QUERY);
                    var slow = GraphqlEvents.open(gateway, "admin", "live", QUERY)) {
                for (int i = 0; i < EVENTS; i++) {
                    items.insertOne(new Document("_id", i).append("text", TEXT));
                    assertThat(id(fast)).isEqualTo(new BsonInt32(i));
                }
                assertThat(received(slow)).isLessThan(EVENTS);
                items.insertOne(new Document("_id", EVENTS));
                assertThat(id(fast)).isEqualTo(new BsonInt32(EVENTS));
            }
        }
    }

    private static MongoCollection<Document> define(TestMongo mongo, ConformanceGateway gateway) {
        var db = mongo.newDatabaseName();
        mongo.client().getDatabase(db).createCollection("first");
        var admin = new GraphqlClient(gateway, "admin");
        admin.send("PUT", "/" + db + "/items", "{\"streams\": [{\"uri\": \"all\", \"stages\": []}]}");
        admin.define("live", """
                {"schema": "type Item { _id: Int text: String } type Query { a: Int } type Subscription { item: Item }",
                 "mappings": {"Query": {"a": "a"}, "Subscription": {
                   "item": {"db": "$db", "collection": "items", "stream": "all", "path": "fullDocument"}}}}
                """.replace("$db", db));
        return mongo.client().getDatabase(db).getCollection("items");
    }

    private static Object id(GraphqlEvents events) throws IOException {
        return ((BsonDocument) events.data().get("item")).get("_id");
    }

    /// The number of events until the connection ends, maybe in the middle of one.
    private static int received(GraphqlEvents events) {
        int received = 0;
        try {
            for (; received < EVENTS; received++) {
                events.next();
            }
        } catch (IOException _) { // closed
        }
        return received;
    }
}
