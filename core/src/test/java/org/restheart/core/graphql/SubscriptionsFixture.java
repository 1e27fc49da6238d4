package org.restheart.core.graphql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.restheart.core.data.ConformanceGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// An app with subscriptions, and the collections behind it.
@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SubscriptionsFixture {
    static final String CHANGED = "subscription Changed {changed{operationType fullDocument{_id n secret}}}";

    private final TestMongo mongo;
    final String db;

    @AutoClose
    final ConformanceGateway gateway;

    final GraphqlClient admin;

    SubscriptionsFixture(TestMongo mongo) {
        this.mongo = mongo;
        this.db = mongo.newDatabaseName();
        this.gateway = GraphqlGateway.start(mongo, "app-cache-ttr: 600000");
        this.admin = new GraphqlClient(gateway, "admin");
        mongo.client().getDatabase(db).createCollection("makers");
        mongo.client()
                .getDatabase(db)
                .getCollection("makers")
                .insertMany(List.of(
                        new Document("_id", 1).append("name", "M1"), new Document("_id", 2).append("name", "M2")));
        send("PUT", "/" + db + "/items", """
                {"streams": [
                  {"uri": "all", "stages": []},
                  {"uri": "ruled", "stages": [], "applyReadFilter": true, "applyProjection": true},
                  {"uri": "of", "stages": [{"$match": {"fullDocument.n": {"$var": "n"}}}]}]}""");
        define();
    }

    @BeforeEach
    void define() {
        admin.define("live", """
                {"schema": "type Item { _id: Int n: Int secret: String maker: Maker } type Maker { name: String }
                   type Change { operationType: String fullDocument: Item }
                   type Query { items: [Item] }
                   type Subscription { changed: Change ruled: Item of(n: Int): Item missing: Item none: Item strict: Item! }",
                 "mappings": {
                   "Query": {"items": {"db": "$db", "collection": "items"}},
                   "Item": {"maker": {"db": "$db", "collection": "makers", "find": {"_id": {"$fk": "n"}}}},
                   "Subscription": {
                     "changed": {"db": "$db", "collection": "items", "stream": "all"},
                     "strict": {"db": "$db", "collection": "items", "stream": "all", "path": "fullDocument"},
                     "ruled": {"db": "$db", "collection": "items", "stream": "ruled", "path": "fullDocument"},
                     "of": {"db": "$db", "collection": "items", "stream": "of", "path": "fullDocument",
                            "avars": {"n": {"$arg": "n"}}},
                     "missing": {"db": "$db", "collection": "items", "stream": "missing"}}}}
                """.replace("$db", db).replace("\n                   type", " type"));
    }

    void send(String method, String path, String json) {
        var response = admin.send(method, path, json);
        assertThat(response.statusCode()).as(response.body()).isBetween(200, 299);
    }

    void insert(int id, String owner, int n) {
        mongo.client()
                .getDatabase(db)
                .getCollection("items")
                .replaceOne(
                        new Document("_id", id),
                        new Document("_id", id)
                                .append("owner", owner)
                                .append("n", n)
                                .append("secret", "s" + n)
                                .append("at", System.nanoTime()),
                        new com.mongodb.client.model.ReplaceOptions().upsert(true));
    }

    static String compact(BsonDocument document) {
        return document.toJson().replace(" ", "");
    }
}
