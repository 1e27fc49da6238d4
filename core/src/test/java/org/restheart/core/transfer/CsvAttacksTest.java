package org.restheart.core.transfer;

import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.exists;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.core.security.TestGateway;
import org.restheart.testkit.Patience;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Attacks by way of CSV files.
@WithMongo
class CsvAttacksTest {
    @AutoClose
    private static TestGateway gateway;

    private static String db;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway =
                TestGateway.start(mongo, "filterOperatorsBlacklist: {enabled: true, blacklist: [$where, $function]}\n");
        db = gateway.database().getName();
        gateway.insertUsers("{_id: 'eve', roles: ['loader']}");
        gateway.permit("{_id: 1, roles: ['loader'], predicate: \"path('/csv')\", mongo:"
                + " {allowManagementRequests: true, allowWriteMode: true, writeFilter: {owner: '@user._id'}}}");
        gateway.permit("{_id: 2, roles: ['loader'], predicate: \"path('/c') and method(GET)\"}");
        gateway.insert("c", "{_id: 'mine', owner: 'eve', n: 1}", "{_id: 'theirs', owner: 'bob', secret: 'right'}");
    }

    private static int load(TestClient client, String collection, String parameters, String csv) {
        return client.with("Content-Type", "text/csv")
                .send("POST", "/csv?db=" + db + "&coll=" + collection + "&" + parameters, csv)
                .statusCode();
    }

    private static TestClient eve() {
        return gateway.anonymous().as("eve", "pw");
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @Test
    void the_filter_of_a_row_cannot_depend_on_passwords() {
        var admin = gateway.as("admin");
        for (var filter : List.of(
                "{\"password\":{\"$gt\":\"a\"}}",
                "{\"$or\":[{\"password\":{\"$regex\":\"^.2\"}}]}",
                "{\"$expr\":{\"$gt\":[\"$password\",\"a\"]}}")) {
            assertThat(load(
                            admin,
                            "users",
                            "id=0&update=true&upsert=false&sep=;",
                            "id;probe;_filter\nbob;1;" + filter + "\n"))
                    .as(filter)
                    .isEqualTo(403);
        }
        assertThat(gateway.collection("users").countDocuments(exists("probe"))).isZero();
    }

    @Test
    void a_rows_filter_runs_no_code() {
        for (var filter : List.of(
                "{\"$where\":\"true\"}",
                "{\"$or\":[{\"$where\":\"true\"}]}",
                "{\"$expr\":{\"$function\":{\"body\":\"f\",\"args\":[],\"lang\":\"js\"}}}")) {
            assertThat(load(
                            gateway.as("admin"),
                            "c",
                            "id=0&update=true&upsert=false&sep=;",
                            "id;probe;_filter\nmine;1;" + filter + "\n"))
                    .as(filter)
                    .isEqualTo(403);
        }
    }

    @Test
    void a_rows_filter_never_meets_a_document_outside_the_permission() {
        for (var guess : List.of("right", "wrong")) {
            var filter =
                    "{\"$expr\":{\"$cond\":[{\"$eq\":[\"$secret\",\"" + guess + "\"]},{\"$toInt\":\"$_id\"},true]}}";
            assertThat(load(
                            eve(),
                            "c",
                            "id=0&update=true&upsert=false&sep=;",
                            "id;probe;_filter\ntheirs;1;" + filter + "\n"))
                    .as(guess)
                    .isEqualTo(403);
        }
        assertThat(load(
                        eve(),
                        "c",
                        "id=0&update=true&upsert=false&sep=;",
                        "id;probe;_filter\nmine;1;{\"n\":{\"$gt\":0}}\n"))
                .isEqualTo(200);
        assertThat(gateway.collection("c").countDocuments(exists("probe"))).isEqualTo(1);
    }

    /// MongoDB's messages quote keys of indexes, and fields that are in the way.
    @Test
    void errors_of_rows_quote_nothing_that_is_hidden() {
        gateway.permit("hiding", "path('/csv')", "{allowManagementRequests: true, projectResponse: {secret: 0}}");
        gateway.permit("unseeing", "path('/csv')", "{allowManagementRequests: true, readFilter: {owner: 'me'}}");
        gateway.addUsers("hiding", "unseeing");
        gateway.insert(
                "q",
                "{_id: 'a', team: 't1', secret: 'mandarin'}",
                "{_id: 'b', team: 't2', secret: 'mandarin', note: 'mandarin'}");
        gateway.collection("q").createIndex(Indexes.ascending("team", "secret"), new IndexOptions().unique(true));
        for (var user : List.of("hiding", "unseeing")) {
            for (var rows : List.of("id,team\nb,t1\n", "id,note.x\nb,1\n")) {
                var refused = gateway.user(user)
                        .with("Content-Type", "text/csv")
                        .send("POST", "/csv?db=" + db + "&coll=q&id=0&update=true", rows);
                assertThat(refused.statusCode()).as(user + rows).isBetween(400, 409);
                assertThat(refused.body()).as(user + rows).doesNotContain("mandarin");
            }
        }
    }

    @Test
    void a_separator_is_not_a_regular_expression() {
        var row = "a".repeat(50_000) + "\n";
        for (var separator : List.of("(a*)*b", "(a|a)*c", "(x+x+)+y", "(.*)(.*)(.*)#")) {
            int status = assertTimeoutPreemptively(
                    Patience.relative(Duration.ofSeconds(20)),
                    () -> load(eve(), "sep", "sep=" + encode(separator), "n\n" + row));
            assertThat(status).as(separator).isEqualTo(200);
        }
        assertThat(load(eve(), "sep", "sep=" + encode("\\|"), "x|y\n1|2\n")).isEqualTo(200);
        assertThat(gateway.collection("sep").countDocuments(eq("y", 2))).isEqualTo(1);
    }

    @Test
    void a_file_has_a_bounded_number_of_cells() {
        assertThat(load(eve(), "many", "", "n\n" + "1\n".repeat(600_000))).isEqualTo(413);
        assertThat(gateway.collection("many").countDocuments()).isZero();
    }

    @Test
    void a_load_makes_earlier_results_look_old() {
        var ada = gateway.as("admin");
        var before = ada.get("/cached?cache&pagesize=100");
        assertStatus(404, before);
        assertThat(load(ada, "cached", "id=0", "id,n\n1,1\n")).isEqualTo(200);
        assertThat(ada.get("/cached?cache&pagesize=100").body())
                .contains("\"_id\": 1")
                .doesNotContain("\"_id\": 2");
        assertThat(load(ada, "cached", "id=0", "id,n\n2,1\n")).isEqualTo(200);
        assertThat(ada.get("/cached?cache&pagesize=100").body()).contains("\"_id\": 2");
    }
}
