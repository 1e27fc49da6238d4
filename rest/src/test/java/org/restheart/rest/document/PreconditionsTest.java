package org.restheart.rest.document;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.rest.DataApi;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Entity tags and preconditions of documents.
@WithMongo
class PreconditionsTest {
    private static final String OTHER = "65f0c0ffee0000000000abcd";

    private final TestMongo mongo;
    private final DataApi api;
    private final String db;
    private final String coll;

    PreconditionsTest(TestMongo mongo) {
        this.mongo = mongo;
        api = DataApi.over(mongo.client());
        db = mongo.newDatabaseName();
        coll = "/" + db + "/c";
    }

    @BeforeEach
    void a_collection() {
        api.send("PUT /" + db);
        api.send("PUT " + coll);
    }

    private String stored(BsonValue etag) {
        mongo.client()
                .getDatabase(db)
                .getCollection("c", BsonDocument.class)
                .insertOne(new BsonDocument("_id", new BsonString("a"))
                        .append("n", new BsonInt32(1))
                        .append("_etag", etag));
        return coll + "/a";
    }

    private int n() {
        return api.send("GET " + coll + "/a?nocache").document().getInt32("n").getValue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"PUT", "PATCH"})
    void a_matching_tag_lets_a_write_through(String method) {
        var etag = new ObjectId();
        var answer =
                api.with("If-Match", etag.toHexString()).send(method + " " + stored(new BsonObjectId(etag)), "{n: 2}");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.etag()).isNotEqualTo(etag.toHexString());
        assertThat(n()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({
        "PUT, ''",
        "PUT, ?wm=upsert",
        "PUT, ?wm=insert",
        "PATCH, ''",
        "PATCH, ?wm=upsert",
        "PATCH, ?wm=insert",
        "DELETE, ''"
    })
    void another_tag_stops_a_write(String method, String query) {
        var etag = new ObjectId();
        var answer = api.with("If-Match", OTHER).send(method + " " + stored(new BsonObjectId(etag)) + query, "{n: 2}");
        assertThat(answer.status()).isEqualTo(412);
        assertThat(answer.etag()).isEqualTo(etag.toHexString());
        assertThat(answer.json()).isNull();
        assertThat(n()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"update", "upsert"})
    void a_post_that_replaces_is_checked_too(String mode) {
        stored(new BsonObjectId());
        var answer = api.with("If-Match", OTHER).send("POST " + coll + "?wm=" + mode, "{_id: 'a', n: 2}");
        assertThat(answer.status()).isEqualTo(412);
        assertThat(n()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
        "PUT, The document's ETag must be provided using the 'If-Match' header",
        "DELETE, The document's ETag must be provided using the 'If-Match' header",
        "PATCH, The ETag must be provided using the 'If-Match' header",
    })
    void checkEtag_requires_a_tag(String method, String message) {
        var etag = new ObjectId();
        var answer = api.send(method + " " + stored(new BsonObjectId(etag)) + "?checkEtag", "{n: 2}");
        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.etag()).isEqualTo(etag.toHexString());
        assertThat(answer.message()).isEqualTo(message);
        assertThat(n()).isEqualTo(1);
    }

    @Test
    void checkEtag_on_a_post_that_replaces() {
        stored(new BsonObjectId());
        var answer = api.send("POST " + coll + "?wm=upsert&checkEtag", "{_id: 'a', n: 2}");
        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.message()).isEqualTo("The document's ETag must be provided using the 'If-Match' header.");
    }

    @ParameterizedTest
    @CsvSource({"PUT, ?wm=upsert, 201", "PATCH, ?wm=upsert, 201", "PUT, '', 404", "PATCH, '', 404", "DELETE, '', 404"})
    void a_missing_document_has_no_tag_to_compare(String method, String query, int status) {
        assertThat(api.with("If-Match", OTHER)
                        .send(method + " " + coll + "/missing" + query, "{n: 2}")
                        .status())
                .isEqualTo(status);
    }

    @ParameterizedTest
    @ValueSource(strings = {"W/\"%s\"", "W/%s", "\"%s", "%s %s", "{\"$oid\": \"%s\"}"})
    void only_a_strong_tag_matches(String form) {
        var etag = new ObjectId();
        var ifMatch = form.replace("%s", etag.toHexString());
        assertThat(api.with("If-Match", ifMatch)
                        .send("PUT " + stored(new BsonObjectId(etag)), "{n: 2}")
                        .status())
                .isEqualTo(412);
    }

    @Test
    void a_list_of_tags_is_bounded() {
        var etag = new ObjectId();
        var path = stored(new BsonObjectId(etag));
        var others = "\"x%d\", ";
        var most = IntStream.range(0, 99).mapToObj(others::formatted).collect(Collectors.joining()) + etag;
        assertThat(api.with("If-Match", most).send("PATCH " + path, "{n: 2}").status())
                .isEqualTo(200);
        var more = IntStream.range(0, 101).mapToObj(others::formatted).collect(Collectors.joining());
        assertThat(api.with("If-Match", more).send("PATCH " + path, "{n: 2}").status())
                .isEqualTo(400);
    }

    @Test
    void a_tag_in_quotes_is_the_same_tag() {
        var etag = new ObjectId();
        var answer = api.with("If-Match", "\"" + etag.toHexString() + "\"")
                .send("PUT " + stored(new BsonObjectId(etag)), "{n: 2}");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(n()).isEqualTo(2);
    }

    @Test
    void a_tag_may_be_text() {
        var answer = api.with("If-Match", "v1").send("PUT " + stored(new BsonString("v1")), "{n: 2}");
        assertThat(answer.status()).isEqualTo(200);
    }

    @Test
    void another_text_is_another_tag() {
        var answer = api.with("If-Match", "v2").send("PUT " + stored(new BsonString("v1")), "{n: 2}");
        assertThat(answer.status()).isEqualTo(412);
        assertThat(answer.etag()).isEqualTo("v1");
    }

    @ParameterizedTest
    @CsvSource({"PUT, 200", "PATCH, 200", "DELETE, 204"})
    void a_document_without_a_tag_needs_no_tag_to_be_changed(String method, int status) {
        mongo.client()
                .getDatabase(db)
                .getCollection("c", BsonDocument.class)
                .insertOne(new BsonDocument("_id", new BsonString("a")));
        assertThat(api.send(method + " " + coll + "/a?checkEtag", "{n: 2}").status())
                .isEqualTo(status);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PUT", "PATCH", "DELETE"})
    void what_has_no_tag_matches_none(String method) {
        mongo.client()
                .getDatabase(db)
                .getCollection("c", BsonDocument.class)
                .insertOne(new BsonDocument("_id", new BsonString("a")));
        var answer = api.with("If-Match", OTHER).send(method + " " + coll + "/a", "{n: 2}");
        assertThat(answer.status()).isEqualTo(412);
        assertThat(answer.header("ETag")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        // collection, database, method, status
        "REQUIRED, , PUT, 409",
        "REQUIRED, , PATCH, 409",
        "REQUIRED, , DELETE, 409",
        "required, , PUT, 409",
        "REQUIRED_FOR_DELETE, , PUT, 200",
        "REQUIRED_FOR_DELETE, , DELETE, 409",
        "OPTIONAL, REQUIRED, PUT, 200",
        ", REQUIRED, PUT, 409",
        "nonsense, REQUIRED, PUT, 409",
        "nonsense, , PUT, 200",
        ", , DELETE, 204",
    })
    void the_policy_is_the_collections_or_the_databases_or_the_configurations(
            String collectionPolicy, String dbPolicy, String method, int status) {
        if (dbPolicy != null) {
            api.send("PATCH /" + db, "{etagDocPolicy: '" + dbPolicy + "'}");
        }
        if (collectionPolicy != null) {
            api.send("PATCH " + coll, "{etagDocPolicy: '" + collectionPolicy + "'}");
        }
        assertThat(api.send(method + " " + stored(new BsonObjectId()), "{n: 2}").status())
                .isEqualTo(status);
    }

    @Test
    void the_collections_policy_covers_what_a_post_replaces() {
        stored(new BsonObjectId());
        assertThat(api.send("POST " + coll + "?wm=upsert", "{_id: 'a', n: 2}").status())
                .isEqualTo(200);
        api.send("PATCH " + coll, "{etagPolicy: 'REQUIRED'}");
        assertThat(api.send("POST " + coll + "?wm=upsert", "{_id: 'a', n: 3}").status())
                .isEqualTo(409);
        assertThat(n()).isEqualTo(2);
    }
}
