package org.restheart.rest.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.restheart.http.Content;
import org.restheart.http.Response;
import org.restheart.http.access.Account;
import org.restheart.http.access.Caller;
import org.restheart.rest.DataApi;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

@WithMongo
class CachingTest {
    private static final int MEBIBYTE = 1 << 20;
    private static final String WEAK = "W/\"[\\w-]{22}\"";

    private final TestMongo mongo;
    private DataApi api;
    private String db;

    CachingTest(TestMongo mongo) {
        this.mongo = mongo;
        this.api = DataApi.over(mongo.client());
        this.db = mongo.database().getName();
    }

    @BeforeEach
    void start() {
        mongo.database().drop();
        mongo.database()
                .getCollection("large")
                .insertMany(IntStream.range(0, 6)
                        .mapToObj(i -> new Document("_id", i).append("text", "x".repeat(MEBIBYTE)))
                        .toList());
        mongo.database().getCollection("small").insertOne(new Document("_id", 1));
    }

    private DataApi.Answer get(String path) {
        return api.send("GET /" + db + path);
    }

    @Test
    void a_list_of_three_mebibytes_has_a_tag_of_its_content_and_one_of_six_has_none() {
        for (var list : new String[] {"/large?pagesize=3", "/large?filter={\"_id\":{\"$lt\":3}}"}) {
            var found = get(list);
            assertThat(found.text()).hasSizeGreaterThan(3 * MEBIBYTE);
            assertThat(found.etag()).matches(WEAK);
            var again = api.with("If-None-Match", found.etag()).send("GET /" + db + list);
            assertThat(again.status()).isEqualTo(304);
            assertThat(again.text()).isEmpty();
        }

        var streamed = api.with("If-None-Match", "\"x\"").send("GET /" + db + "/large");
        assertThat(streamed.status()).isEqualTo(200);
        assertThat(streamed.text()).hasSizeGreaterThan(6 * MEBIBYTE);
        assertThat(streamed.header("ETag")).isEmpty();
    }

    @Test
    void two_gateways_have_the_same_tag_for_one_list() {
        var other = DataApi.over(mongo.client());

        assertThat(other.send("GET /" + db + "/small").etag())
                .isEqualTo(get("/small").etag())
                .matches(WEAK);
    }

    @Test
    void only_lists_that_do_not_depend_on_the_caller_are_public() {
        mongo.database()
                .getCollection("_properties")
                .insertOne(new Document("_id", "_properties.small")
                        .append("cacheControl", "public, max-age=5, private=\"a, b\", s-maxage=9"));
        var somebody = api.as(Caller.of(new Account("ada", List.of(), new BsonDocument())));

        var open = get("/small");
        assertThat(open.header("Cache-Control")).contains("public, max-age=5, private=\"a, b\", s-maxage=9");
        assertThat(open.header("Vary")).contains("Accept, Accept-Encoding");

        var own = somebody.send("GET /" + db + "/small");
        assertThat(own.header("Cache-Control")).contains("private, max-age=5, private=\"a, b\"");
        assertThat(own.header("Vary")).contains("Accept, Accept-Encoding, Authorization, Cookie");
    }

    @Test
    void a_cache_that_does_not_know_the_header_of_a_key_does_not_keep_what_its_caller_sees() {
        for (var stated : new String[] {"max-age=5", "private, max-age=5", "must-revalidate, no-store"}) {
            var collection = "c" + stated.length();
            mongo.database().getCollection(collection).insertOne(new Document("_id", 1));
            mongo.database()
                    .getCollection("_properties")
                    .insertOne(new Document("_id", "_properties." + collection).append("cacheControl", stated));
            var own = api.as(Caller.of(new Account("ada", List.of(), new BsonDocument())))
                    .send("GET /" + db + "/" + collection);
            assertThat(own.header("Cache-Control").orElseThrow())
                    .isEqualTo(stated.contains("no-store") ? stated : "private, max-age=5");
            assertThat(get("/" + collection).header("Cache-Control")).contains(stated);
        }
    }

    @Test
    void a_list_that_requests_share_is_hashed_once() {
        var shared = Caching.withHash(Response.json(200, "[]"));

        assertThat(Caching.withHash(shared)).isSameAs(shared);
        assertThat(Caching.withHash(shared.with(Content.NONE)).headers().first("ETag"))
                .as("the hash, not made again")
                .isEqualTo(shared.headers().first("ETag"));
    }
}
