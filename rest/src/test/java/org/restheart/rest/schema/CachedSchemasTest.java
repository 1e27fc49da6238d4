package org.restheart.rest.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.metadata.StoredMetadata;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// How many compiled schemas stay in memory.
@WithMongo
class CachedSchemasTest {
    @AutoClose
    private static final BackgroundTasks TASKS = new BackgroundTasks();

    private static final int MANY = 20;

    private static BsonDocument schema(String id, int properties) {
        var all = new BsonDocument();
        for (int i = 0; i < properties; i++) {
            all.append("property" + i, new BsonDocument("maxLength", new BsonInt32(i)));
        }
        return new BsonDocument("_id", new BsonString(id)).append("properties", all);
    }

    /// After all have been used.
    private static long cached(TestMongo mongo, String name, int properties) {
        var stored = new Schemas(TASKS, mongo.client(), Duration.ofMinutes(5), _ -> true, 4 << 20);
        var collection = mongo.database().getCollection(Schemas.COLLECTION, BsonDocument.class);
        for (int i = 0; i < MANY; i++) {
            collection.insertOne(schema(name + i, properties));
            var key = new SchemaKey(mongo.databaseName(), new BsonString(name + i));
            assertThat(stored.compiled(key)
                            .violations(BsonDocument.parse("{property1: 'too long'}"), new EvaluationBudget()))
                    .hasSize(1);
        }
        return stored.meter().entries();
    }

    @Test
    void fewer_large_ones_are_cached(TestMongo mongo) {
        assertThat(cached(mongo, "small", 10)).isEqualTo(MANY);
        assertThat(cached(mongo, "large", 2_000)).isBetween(1L, 4L);
    }

    @Test
    void what_does_not_fit_is_not_described(TestMongo mongo) {
        var db = mongo.newDatabaseName();
        var collection = mongo.client().getDatabase(db).getCollection(Schemas.COLLECTION, BsonDocument.class);
        for (int i = 0; i < 4; i++) {
            collection.insertOne(schema("schema" + i, i == 1 ? 5_000 : 1_000));
        }
        var described = StoredMetadata.schemas(mongo.client().getDatabase(db), 500, 80_000);
        assertThat(described)
                .extracting(schema -> schema.getString("_id").getValue())
                .containsExactly("schema0", "schema2");
    }
}
