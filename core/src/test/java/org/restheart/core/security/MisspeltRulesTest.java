package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// A restriction whose name is misspelt is refused, or not used: it must not mean that there is none.
@WithMongo
class MisspeltRulesTest {
    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "");
        gateway.permit("{_id: 'e', roles: ['editor'], predicate: \"path-prefix('/items')\","
                + " mongo: {readFilter: {tenant: 'a'}}}");
        gateway.permit("{_id: 'v', roles: ['viewer'], predicate: \"path-prefix('/items')\","
                + " mogno: {readFilter: {tenant: 'a'}}}");
        gateway.insert("items", "{_id: 1, tenant: 'b'}");
        assertThat(gateway.as("admin").put("/acl", "{}").statusCode()).isLessThan(300);
    }

    @ParameterizedTest
    @CsvSource({
        "applyReadfilter, applyReadFilter",
        "apply_read_filter, applyReadFilter",
        "applyProjecton, applyProjection",
        "notifyWhen, notify_when",
        "notifyWhenRequired, notify_when_required"
    })
    void a_stream_with_a_misspelt_restriction_is_refused(String key, String meant) {
        var answer = gateway.as("admin")
                .patch("/items", "{\"streams\": [{\"uri\": \"s\", \"stages\": [], \"" + key + "\": true}]}");
        assertStatus(400, answer);
        assertThat(answer.body()).contains("streams[0]: " + key + " is unknown; did you mean " + meant + "?");
    }

    @Test
    void nobody_listens_to_a_stored_stream_with_a_misspelt_restriction() {
        gateway.insert(
                "_properties", "{_id: '_properties.stored', streams: [{uri: 's', stages: [], applyReadfilter: true}]}");
        gateway.insert("stored", "{_id: 1}");
        var answer = gateway.as("admin").with("Accept", "text/event-stream").get("/stored/_streams/s");
        assertStatus(500, answer);
        assertThat(answer.body()).contains("did you mean applyReadFilter?");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mogno", "Mongo", "mongoPermissions"})
    void a_permission_whose_mongo_is_misspelt_is_refused(String key) {
        var answer = gateway.as("admin")
                .post(
                        "/acl",
                        "{\"roles\": [\"editor\"], \"predicate\": \"true\", \"" + key
                                + "\": {\"readFilter\": {\"tenant\": \"a\"}}}");
        assertStatus(400, answer);
        assertThat(answer.body()).contains(key + " is unknown; did you mean mongo?");
    }

    @Test
    void a_stored_permission_whose_mongo_is_misspelt_allows_nothing() {
        assertThat(gateway.as("ada").get("/items").body()).isEqualTo("[]");
        assertStatus(403, gateway.as("bob").get("/items"));
    }

    @ParameterizedTest
    @CsvSource({
        "action(fnd), unknown action fnd; did you mean find?",
        "action(insertone), unknown action insertone; did you mean insertOne?",
        "via(mpc), unknown service mpc; did you mean mcp?",
        "method(GTE), unknown method GTE; did you mean GET?",
        "methd(GET), unknown predicate methd; did you mean method?",
        "path(pth='/a'), path has no parameter pth; did you mean path?",
        "'not equals(%u, @usr._id)', @usr._id is not a variable of predicates",
        "'not contains(search=@requst.body.a, value=%U)', @requst.body.a is not a variable of predicates"
    })
    void a_predicate_with_a_misspelt_name_is_refused(String predicate, String message) {
        var answer =
                gateway.as("admin").post("/acl", "{\"roles\": [\"editor\"], \"predicate\": \"" + predicate + "\"}");
        assertStatus(400, answer);
        assertThat(answer.body()).contains(message);
    }

    @ParameterizedTest
    @CsvSource({
        "account, unknown key account; did you mean as?",
        "userid, unknown key userid; did you mean as?",
        "methd, unknown key methd; did you mean method?",
        "xyzzy, 'unknown key xyzzy; the keys are as, roles, method, path, query and body'"
    })
    void a_check_of_access_with_an_unknown_key_is_refused(String key, String message) {
        var answer = gateway.as("admin").post("/_access/check", "{\"path\": \"/items\", \"" + key + "\": \"ada\"}");
        assertStatus(400, answer);
        assertThat(answer.body()).contains(message);
    }

    @Test
    void a_check_of_access_as_something_that_is_no_name_is_refused() {
        var admin = gateway.as("admin");
        assertStatus(400, admin.post("/_access/check", "{\"path\": \"/items\", \"as\": 5}"));
        assertStatus(400, admin.post("/_access/check", "{\"path\": \"/items\", \"roles\": \"viewer\"}"));
    }

    @Test
    void the_syntax_check_names_misplaced_restrictions() {
        assertThat(gateway.as("admin")
                        .post("/_access/parse", "{\"predicate\": \"true\", \"readFilter\": {\"a\": 1}}")
                        .body())
                .contains("did you mean mongo.readFilter");
    }
}
