package org.restheart.core.security;

import static com.mongodb.client.model.Filters.eq;
import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.util.Objects;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Rules and guards of content also apply to streams of lines.
@WithMongo
class LinesRulesTest {
    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "");
        gateway.insertUsers("{_id: 'tim', roles: ['team'], team: 'red'}", "{_id: 'own', roles: ['owner']}");
        gateway.permit("{_id: 3, roles: ['owner'], predicate: \"path-prefix('/w')\","
                + " mongo: {writeFilter: {owner: '@user._id'}, checkWritten: true}}");
        gateway.insert("w", "{_id: 'first'}");
        gateway.permit("{_id: 1, roles: ['team'], predicate: \"path-prefix('/t') and bson-request-blacklist(owner)\","
                + " mongo: {mergeRequest: {team: '@user.team'}}}");
        gateway.permit("{_id: 2, roles: ['team'], predicate: \"path-prefix('/m')\","
                + " mongo: {mergeRequest: {team: '@user.team'}}}");
        gateway.insert("t", "{_id: 'first'}");
        gateway.insert("m", "{_id: 'first'}");
    }

    private static TestClient lines(TestClient client) {
        return client.with("Content-Type", "application/x-ndjson");
    }

    private static BsonDocument stored(String collection, String id) {
        return Objects.requireNonNull(
                gateway.collection(collection).find(eq("_id", id)).first());
    }

    @Test
    void passwords_in_lines_are_hashed() {
        var answer = lines(gateway.as("admin"))
                .send("POST", "/users", "{\"_id\": \"l1\", \"password\": \"plain\", \"roles\": []}\n");
        assertStatus(200, answer);
        assertThat(stored("users", "l1").getString("password").getValue()).startsWith("$2a$");
    }

    @Test
    void no_line_gives_the_root_role() {
        var answer = lines(gateway.as("admin"))
                .send("POST", "/users", "{\"_id\": \"l2\"}\n{\"_id\": \"l3\", \"roles\": [\"admin\"]}\n");
        assertStatus(403, answer);
        assertThat(gateway.collection("users").countDocuments(eq("_id", "l2"))).isZero();
    }

    @Test
    void a_rule_about_content_looks_at_every_line_before_any_is_stored() {
        var tim = lines(gateway.anonymous().as("tim", "pw"));
        assertStatus(403, tim.send("POST", "/t", "{\"_id\": \"a\"}\n{\"_id\": \"b\", \"owner\": 1}\n"));
        assertThat(gateway.collection("t").countDocuments()).isEqualTo(1);
        assertStatus(200, tim.send("POST", "/t", "{\"_id\": \"a\"}\n"));
    }

    @Test
    void what_a_permission_lays_over_documents_it_lays_over_lines() {
        lines(gateway.anonymous().as("tim", "pw")).send("POST", "/m", "{\"_id\": \"a\", \"team\": \"blue\"}\n");
        assertThat(stored("m", "a").get("team")).isEqualTo(new BsonString("red"));
    }

    @Test
    void lines_outside_of_what_the_caller_may_write_are_refused_alone() {
        var answer = lines(gateway.anonymous().as("own", "pw"))
                .send("POST", "/w", "{\"_id\": \"a\", \"owner\": \"own\"}\n{\"_id\": \"b\", \"owner\": \"tim\"}\n");
        assertStatus(207, answer);
        assertThat(answer.body()).contains("\"inserted\": 1").contains("{\"line\": 2, \"httpStatus\": 403");
        assertThat(gateway.collection("w").countDocuments(eq("_id", "b"))).isZero();
    }
}
