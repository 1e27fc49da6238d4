package org.restheart.rest.document;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.rest.DataApi;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The table of write modes: what each method does where there is a document and where there is none.
@WithMongo
class WriteModesTest {
    private final DataApi api;
    private final String coll;

    WriteModesTest(TestMongo mongo) {
        api = DataApi.over(mongo.client());
        coll = "/" + mongo.newDatabaseName() + "/books";
    }

    @BeforeEach
    void one_document() {
        api.send("PUT " + coll.substring(0, coll.lastIndexOf('/')));
        assertThat(api.send("PUT " + coll).status()).isEqualTo(201);
        assertThat(api.send("POST " + coll, "{_id: 'there', n: 1}").status()).isEqualTo(201);
    }

    @ParameterizedTest(name = "{0} wm={1}: {2} where there is none, {3} where there is one")
    @CsvSource({
        "POST, insert, 201, 409",
        "POST, update, 404, 200",
        "POST, upsert, 201, 200",
        "POST, '',     201, 409",
        "POST, wrong,  201, 409",
        "PUT, insert, 201, 409",
        "PUT, update, 404, 200",
        "PUT, upsert, 201, 200",
        "PUT, '',     404, 200",
        "PATCH, insert, 201, 409",
        "PATCH, update, 404, 200",
        "PATCH, upsert, 201, 200",
        "PATCH, '',     404, 200",
        "DELETE, '', 404, 204",
    })
    void answers(String method, String mode, int statusWithout, int statusWith) {
        assertAnswer(method, mode, "none", statusWithout);
        assertAnswer(method, mode, "there", statusWith);
    }

    private void assertAnswer(String method, String mode, String id, int status) {
        var post = method.equals("POST");
        var answer = api.send(
                method + " " + coll + (post ? "" : "/" + id) + (mode.isEmpty() ? "" : "?wm=" + mode),
                post ? "{_id: '" + id + "', n: 2}" : "{n: 2}");
        assertThat(answer.status()).isEqualTo(status);
        var stored = api.send("GET " + coll + "/" + id);
        switch (status) {
            case 200, 201 -> {
                assertThat(answer.text().isEmpty()).isEqualTo(!mode.equals("wrong")); // which is warned of
                assertThat(answer.etag()).isEqualTo(stored.etag());
                assertThat(stored.document().getInt32("n").getValue()).isEqualTo(2);
                assertThat(answer.header("Location"))
                        .isEqualTo(
                                post && status == 201
                                        ? java.util.Optional.of("http://localhost:8080" + coll + "/" + id)
                                        : java.util.Optional.empty());
            }
            case 204 -> assertThat(stored.status()).isEqualTo(404);
            case 404 -> {
                assertThat(answer.json()).isNull();
                assertThat(answer.header("ETag")).isEmpty();
                assertThat(stored.status()).isEqualTo(404);
            }
            case 409 -> {
                assertThat(answer.message()).startsWith("Duplicate key error");
                assertThat(stored.document().getInt32("n").getValue()).isEqualTo(1);
            }
            default -> throw new AssertionError(answer.toString());
        }
    }

    @Test
    void writeMode_wins_over_wm() {
        assertThat(api.send("PUT " + coll + "/new?wm=insert&writeMode=update", "{}")
                        .status())
                .isEqualTo(404);
    }

    @Test
    void a_post_without_an_id_gets_an_object_id_unless_it_is_an_update() {
        var posted = api.send("POST " + coll, "{n: 3}");
        assertThat(posted.status()).isEqualTo(201);
        assertThat(posted.header("Location").orElseThrow()).matches(".*/books/[0-9a-f]{24}");

        var upserted = api.send("POST " + coll + "?wm=upsert", "{n: 3}");
        assertThat(upserted.status()).isEqualTo(201);
        assertThat(upserted.header("Location").orElseThrow()).matches(".*/books/[0-9a-f]{24}");

        var updated = api.send("POST " + coll + "?wm=update", "{n: 3}");
        assertThat(updated.status()).isEqualTo(400);
        assertThat(updated.json()).isNull();
        assertThat(updated.header("ETag")).isEmpty();
    }

    @Test
    void a_filter_narrows_what_is_written_but_not_what_is_inserted() {
        var wrong = "?filter={n:9}";
        var right = "?filter={n:1}";
        assertThat(api.send("PUT " + coll + "/there" + wrong, "{n: 2}").status())
                .isEqualTo(404);
        assertThat(api.send("PATCH " + coll + "/there" + wrong, "{n: 2}").status())
                .isEqualTo(404);
        assertThat(api.send("DELETE " + coll + "/there" + wrong).status()).isEqualTo(404);
        assertThat(api.send("PUT " + coll + "/there" + wrong + "&wm=upsert", "{n: 2}")
                        .status())
                .isEqualTo(409);
        assertThat(api.send("PATCH " + coll + "/there" + wrong + "&wm=upsert", "{n: 2}")
                        .status())
                .isEqualTo(409);
        assertThat(api.send("POST " + coll + wrong + "&wm=upsert", "{_id: 'there'}")
                        .status())
                .isEqualTo(409);
        assertThat(api.send("POST " + coll + wrong, "{_id: 'other'}").status()).isEqualTo(201);
        assertThat(api.send("PUT " + coll + "/there" + right, "{n: 2}").status())
                .isEqualTo(200);
    }

    @Test
    void an_id_that_is_a_document_is_never_read_as_a_condition() {
        var answer = api.send("POST " + coll + "?wm=update", "{_id: {$gt: ''}, n: 5}");
        assertThat(answer.status()).isIn(400, 404);
        assertThat(api.send("GET " + coll + "/there").document().getInt32("n").getValue())
                .isEqualTo(1);
    }
}
