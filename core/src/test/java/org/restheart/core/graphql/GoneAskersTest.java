package org.restheart.core.graphql;

import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Operations of GraphQL whose clients disconnect.
@WithMongo
class GoneAskersTest {
    @Test
    void what_follows_is_not_read(TestMongo mongo) throws Exception {
        var database = mongo.database();
        database.drop();
        database.getCollection("first").insertMany(List.of(new Document("_id", 1), new Document("_id", 2)));
        database.createView(
                "slow",
                "first",
                List.of(Document.parse("{$match: {$expr: {$function: {lang: 'js', args: [],"
                        + " body: 'function() { sleep(2000); return true }'}}}}")));
        database.getCollection("second").insertOne(new Document("_id", 1));
        try (var gateway = GraphqlGateway.start(mongo, "app-cache-ttr: 600000")) {
            var made = new GraphqlClient(gateway, "admin")
                    .send("PUT", "/defs/gql-apps/gone?wm=upsert", """
                    {"schema": "type Second { _id: Int } type First { _id: Int second: [Second] } type Query { slow: [First] }",
                     "mappings": {
                       "Query": {"slow": {"db": "$db", "collection": "slow"}},
                       "First": {"second": {"db": "$db", "collection": "second", "find": {"_id": {"$fk": "_id"}}}}}}
                    """.replace("$db", mongo.databaseName()));
            assertStatus(201, made);
            database.runCommand(Document.parse("{profile: 2}"));
            try (var socket = new Socket("127.0.0.1", gateway.port())) {
                var query = "{\"query\": \"{slow{second{_id}}}\"}";
                var credentials = Base64.getEncoder().encodeToString("admin:secret".getBytes(StandardCharsets.UTF_8));
                socket.getOutputStream()
                        .write(("POST /graphql/gone HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n"
                                        + "Authorization: Basic " + credentials + "\r\nContent-Length: "
                                        + query.length()
                                        + "\r\n\r\n" + query)
                                .getBytes(StandardCharsets.US_ASCII));
                var reading = "{type: 'op', 'command.find': 'slow', 'command.$db': '" + mongo.databaseName() + "'}";
                await().until(() ->
                        !TestMongo.operations(mongo.client(), reading).isEmpty());
            }
            await().until(() -> reads(mongo, "slow") == 1); // logged at the end
            await().during(Duration.ofSeconds(2)).until(() -> reads(mongo, "second") == 0);
        } finally {
            database.runCommand(Document.parse("{profile: 0}"));
        }
    }

    private static long reads(TestMongo mongo, String collection) {
        return mongo.database()
                .getCollection("system.profile")
                .countDocuments(Document.parse("{'command.find': '%1$s'}".formatted(collection)));
    }
}
