package org.restheart.rest.document;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.rest.DataApi;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The fields that a `POST` stores and their order, whether its content is copied or decoded.
@WithMongo
class PostedFieldsTest {
    private final TestMongo mongo;
    private final DataApi api;
    private final String db;

    PostedFieldsTest(TestMongo mongo) {
        this.mongo = mongo;
        this.api = DataApi.over(mongo.client());
        this.db = mongo.newDatabaseName();
    }

    @BeforeEach
    void a_collection() {
        api.send("PUT /" + db);
        assertThat(api.send("PUT /" + db + "/books").status()).isEqualTo(201);
    }

    private BsonDocument stored(String json) {
        assertThat(api.send("POST /" + db + "/books", json).status()).isEqualTo(201);
        return mongo.client()
                .getDatabase(db)
                .getCollection("books", BsonDocument.class)
                .find()
                .first();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"a\": 1, \"b\": {\"c\": [1, {\"d\": null}]}}",
                "{\"a\": 0, \"b\": {\"c\": [1, {\"d\": null}]}, \"a\": 1}",
                "{\"_etag\": \"mine\", \"a\": 1, \"b\": {\"c\": [1, {\"d\": null}]}}",
                "{\"a\": 1, \"b.c\": [1, {\"d\": null}]}",
            })
    void follow_the_id_and_are_followed_by_the_tag(String json) {
        var stored = stored(json);
        assertThat(List.copyOf(stored.keySet())).containsExactly("_id", "a", "b", "_etag");
        assertThat(stored.get("_id").isObjectId()).isTrue();
        assertThat(stored.get("_etag").isObjectId()).isTrue();
        assertThat(stored.getInt32("a").getValue()).isEqualTo(1);
        assertThat(stored.getDocument("b")).isEqualTo(BsonDocument.parse("{c: [1, {d: null}]}"));
    }

    @Test
    void have_the_given_id_in_front() {
        var stored = stored("{\"a\": 1, \"_id\": \"x\"}");
        assertThat(List.copyOf(stored.keySet())).containsExactly("_id", "a", "_etag");
        assertThat(stored.get("_id")).isEqualTo(new BsonString("x"));
    }

    @Test
    void that_a_collection_adds_are_laid_over_the_content() {
        api.send("PUT /" + db + "/books", "{\"addRequestProperties\": [\"requestMethod\"]}");
        var stored = stored("{\"a\": 1, \"requestMethod\": \"GET\"}");
        assertThat(stored.getString("requestMethod").getValue()).isEqualTo("POST");
    }
}
