package org.restheart.core.graphql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.ReplaceOptions;
import java.util.List;
import java.util.SplittableRandom;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.core.data.ConformanceGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Subscriptions to streams that apply access rules: what the caller must not see changes no result. There are two
/// worlds for each caller, in which different hidden things happen between equal visible ones.
@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SubscriptionNoninterferenceTest {
    private static final long SEED = Long.getLong("graphql.seed", 20_262);
    private static final int CHANGES = 40;
    private static final ReplaceOptions UPSERT = new ReplaceOptions().upsert(true);
    private static final String QUERY = "subscription {event{operationType documentKey fullDocument updateDescription"
            + " same{_id n secret} sums}}";

    private final SplittableRandom random = new SplittableRandom(SEED);
    private final TestMongo mongo;
    private final String db;

    @AutoClose
    private final ConformanceGateway gateway;

    SubscriptionNoninterferenceTest(TestMongo mongo) {
        this.mongo = mongo;
        this.db = mongo.newDatabaseName();
        mongo.client().getDatabase(db).createCollection("first"); // so that the database exists
        this.gateway = GraphqlGateway.start(mongo, "verbose: false");
    }

    private MongoCollection<Document> world(String name) {
        var admin = new GraphqlClient(gateway, "admin");
        var made = admin.send("PUT", "/" + db + "/" + name, """
                {"streams": [{"uri": "ruled", "stages": [], "applyReadFilter": true, "applyProjection": true}]}""");
        assertStatus(201, made);
        admin.define(name, """
                {"schema": "type Doc { _id: Int n: Int secret: Int } type Event { operationType: String documentKey: BsonDocument fullDocument: BsonDocument updateDescription: BsonDocument same: [Doc] sums: [BsonDocument] } type Query { a: Int } type Subscription { event: Event }",
                 "mappings": {
                   "Query": {"a": "a"},
                   "Event": {
                     "same": {"db": "$db", "collection": "$name", "as": "caller", "find": {"n": {"$fk": "fullDocument.n"}}, "sort": {"_id": 1}},
                     "sums": {"db": "$db", "collection": "$name", "as": "caller",
                              "stages": [{"$group": {"_id": null, "n": {"$sum": "$n"}, "secret": {"$sum": "$secret"}}}]}},
                   "Subscription": {"event": {"db": "$db", "collection": "$name", "stream": "ruled"}}}}
                """.replace("$db", db).replace("$name", name));
        return mongo.client().getDatabase(db).getCollection(name);
    }

    private static Document document(int id, String owner, int n, int secret) {
        return new Document("_id", id).append("owner", owner).append("n", n).append("secret", secret);
    }

    /// Different documents of others in both worlds, for callers who do not see these.
    private void changeHidden(List<MongoCollection<Document>> worlds) {
        for (var world : worlds) {
            for (int i = random.nextInt(3); i > 0; i--) {
                int id = 100 + random.nextInt(5);
                var other = document(id, random.nextBoolean() ? "bob" : "eve", random.nextInt(4), random.nextInt(9));
                switch (random.nextInt(3)) {
                    case 0 -> world.deleteOne(new Document("_id", id));
                    case 1 ->
                        world.updateOne(
                                new Document("_id", id), new Document("$set", new Document("n", random.nextInt(4))));
                    default -> world.replaceOne(new Document("_id", id), other, UPSERT);
                }
            }
        }
    }

    /// The same for all worlds, but for what is secret, if that is hidden.
    private void changeVisible(List<MongoCollection<Document>> worlds, String owner, boolean secretHidden) {
        int id = random.nextInt(6);
        int n = random.nextInt(4);
        int step = random.nextInt();
        int secret = random.nextInt(9);
        boolean replaces = random.nextBoolean();
        for (var world : worlds) {
            int own = secretHidden ? random.nextInt(1_000_000) : secret;
            if (replaces || world.countDocuments(new Document("_id", id)) == 0) {
                world.replaceOne(
                        new Document("_id", id), document(id, owner, n, own).append("step", step), UPSERT);
            } else {
                world.updateOne(
                        new Document("_id", id),
                        new Document(
                                "$set",
                                new Document("n", n).append("secret", own).append("step", step)));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"ada, true, false", "bob, false, true", "cat, true, true"})
    void what_the_caller_must_not_see_changes_no_result(String user, boolean othersHidden, boolean secretHidden)
            throws Exception {
        var worlds = List.of(world(user + 1), world(user + 2));
        try (var first = GraphqlEvents.open(gateway, user, user + 1, QUERY);
                var second = GraphqlEvents.open(gateway, user, user + 2, QUERY)) {
            for (int i = 0; i < CHANGES; i++) {
                if (othersHidden) {
                    changeHidden(worlds);
                }
                changeVisible(worlds, user, secretHidden);
                var result = first.next().document();
                assertThat(result.get("errors")).isNull();
                assertThat(second.next().document())
                        .as("seed %d, change %d", SEED, i)
                        .isEqualTo(result);
                assertThat(result.toString()).doesNotContain("\"eve\"");
                assertThat(shownSecret(result)).isEqualTo(!secretHidden);
            }
        }
    }

    private static boolean shownSecret(BsonDocument result) {
        return result.getDocument("data")
                .getDocument("event")
                .getDocument("fullDocument")
                .containsKey("secret");
    }
}
