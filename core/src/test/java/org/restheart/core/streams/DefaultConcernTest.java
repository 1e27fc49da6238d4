package org.restheart.core.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import java.nio.file.Path;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Where the connection string names no write concern, writes have that of the deployment, as a whole, and a time
/// limit.
class DefaultConcernTest {
    @TempDir
    Path folder;

    @Test
    void writes_have_the_concern_of_the_deployment_also_when_it_changes() throws Exception {
        try (var mongo = OwnReplicaSet.start(1, folder);
                var client = MongoClients.create(mongo.connectionString());
                var gateway = StreamsGateway.start(
                        client, mongo.connectionString().replace("&w=majority", ""), "concern", "")) {
            gateway.define("t", "{}");
            var database = client.getDatabase("concern");
            database.runCommand(new BsonDocument("profile", new BsonInt32(2)));
            awaitConcern(gateway, database, new BsonString("majority"));
            client.getDatabase("admin")
                    .runCommand(BsonDocument.parse(
                            "{setDefaultRWConcern: 1, defaultWriteConcern: {w: 1}, writeConcern: {w: 'majority'}}"));
            awaitConcern(gateway, database, new BsonInt32(1));
        }
    }

    private static void awaitConcern(StreamsGateway gateway, MongoDatabase database, org.bson.BsonValue w) {
        await().untilAsserted(() -> {
            assertStatus(201, gateway.send("POST", "/t", "{\"n\": 1}"));
            var command = database.getCollection("system.profile", BsonDocument.class)
                    .find(BsonDocument.parse("{op: 'insert', ns: 'concern.t'}"))
                    .sort(BsonDocument.parse("{ts: -1}"))
                    .first();
            assertThat(command).isNotNull();
            var concern = command.getDocument("command").getDocument("writeConcern");
            assertThat(concern.get("w")).isEqualTo(w);
            assertThat(concern.getNumber("wtimeout").longValue()).isBetween(1_000L, 10_000L);
        });
    }
}
