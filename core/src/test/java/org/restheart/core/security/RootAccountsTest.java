package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.net.http.HttpResponse;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Who may manage accounts without the root role does not reach those that have it.
@WithMongo
class RootAccountsTest {
    private static final String EVERYTHING =
            "allowManagementRequests: true, allowBulkPatch: true," + " allowBulkDelete: true, allowWriteMode: true";

    @AutoClose
    private static TestGateway gateway;

    private static BsonDocument admin;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "csvLoader: {enabled: true}");
        gateway.permit("staff", "path-prefix('/users') or path-prefix('/csv') or path('/')", "{" + EVERYTHING + "}");
        gateway.permit(
                "partial",
                "path-prefix('/users')",
                "{" + EVERYTHING + ", readFilter: {team: 1}, writeFilter: {team: 1}}");
        gateway.addUsers("staff", "partial");
        gateway.insert("users", "{_id: 'second', roles: ['admin']}");
        admin = gateway.stored("users", "admin");
    }

    @AfterEach
    void unchanged() {
        assertThat(gateway.stored("users", "admin")).isEqualTo(admin);
        assertThat(gateway.stored("users", "second")).isNotNull().doesNotContainKey("x");
        assertStatus(200, gateway.as("admin").get("/users"));
    }

    private static TestClient staff() {
        return gateway.user("staff");
    }

    private static void assertRefused(HttpResponse<String> answer) {
        assertStatus(403, answer);
        assertThat(answer.body()).contains("accounts with the role admin are changed and deleted by accounts with");
    }

    @Test
    void an_account_with_the_root_role_is_not_changed_by_others() {
        for (var name : List.of("admin", "second")) {
            var path = "/users/" + name;
            assertRefused(staff().patch(path, "{\"password\": \"mine\"}"));
            assertRefused(staff().patch(path, "{\"x\": 1}"));
            assertRefused(staff().patch(path, "[{\"$set\": {\"x\": 1}}]"));
            assertRefused(staff().patch(path + "?wm=upsert", "{\"x\": 1}"));
            assertRefused(staff().put(path, "{\"password\": \"mine\", \"roles\": []}"));
            assertRefused(staff().put(path + "?wm=upsert", "{\"password\": \"mine\", \"roles\": []}"));
            assertRefused(staff().delete(path));
            assertRefused(staff().post("/users?wm=upsert", "{\"_id\": \"" + name + "\", \"roles\": []}"));
            assertRefused(staff().post("/users?wm=update", "{\"_id\": \"" + name + "\", \"roles\": []}"));
            assertRefused(staff().post("/users?wm=upsert", "[{\"_id\": \"" + name + "\"}, {\"_id\": \"y\"}]"));
            assertStatus(409, staff().post("/users", "{\"_id\": \"" + name + "\", \"password\": \"mine\"}"));
        }
        assertRefused(staff().delete("/users"));
    }

    @Test
    void changes_of_many_accounts_leave_those_with_the_root_role_out() {
        gateway.insert("users", "{_id: 'z1', roles: ['viewer'], team: 2}", "{_id: 'z2', team: 2}");
        gateway.collection("users").updateMany(new BsonDocument(), BsonDocument.parse("{$set: {all: 1}}"));
        admin = gateway.stored("users", "admin");
        var all = "/users/*?filter=" + TestGateway.encode("{\"all\": 1}");
        assertStatus(200, staff().patch(all, "{\"x\": 1}"));
        assertThat(gateway.stored("users", "z1")).containsKey("x");
        assertThat(gateway.stored("users", "z2")).containsKey("x");
        var some = "/users/*?filter=" + TestGateway.encode("{\"_id\": {\"$in\": [\"z1\", \"z2\", \"admin\"]}}");
        assertStatus(200, staff().delete(some));
        assertThat(gateway.stored("users", "z1")).isNull();
    }

    @Test
    void a_csv_file_does_not_change_them() {
        var csv = staff().with("Content-Type", "text/csv");
        var target = "/csv?db=" + gateway.database().getName() + "&coll=users&id=0&update=true";
        assertRefused(csv.post(target, "_id,password\nadmin,mine\n"));
    }

    @Test
    void an_account_that_the_rule_hides_is_none_for_the_caller() {
        var partial = gateway.user("partial");
        assertThat(partial.patch("/users/admin", "{\"x\": 1}").statusCode())
                .isEqualTo(partial.patch("/users/nobody", "{\"x\": 1}").statusCode())
                .isEqualTo(404);
        assertStatus(404, partial.delete("/users/admin"));
        assertStatus(409, partial.put("/users/admin?wm=upsert", "{\"roles\": []}"));
    }

    @Test
    void callers_whom_the_full_authorizer_allows_everything_manage_them(TestMongo mongo) {
        for (boolean accounts : List.of(false, true)) {
            var open = "fullAuthorizer: {enabled: true, authentication-required: " + accounts + "}\n"
                    + "csvLoader: {enabled: true, secured: false}";
            try (var other = TestGateway.start(mongo, open)) {
                var anonymous = other.anonymous();
                var caller = accounts ? other.as("bob") : anonymous;
                assertStatus(200, caller.patch("/users/admin", "{\"x\": 1}"));
                assertThat(other.stored("users", "admin")).containsKey("x");
                other.insert("users", "{_id: 'second', roles: ['admin']}");
                assertStatus(204, caller.delete("/users/second"));
                if (accounts) {
                    var csv = "/csv?db=" + other.database().getName() + "&coll=users&id=0&update=true";
                    assertRefused(anonymous.with("Content-Type", "text/csv").post(csv, "_id,z\nadmin,1\n"));
                }
                assertThat(caller.delete("/users/admin").statusCode())
                        .as("the last one")
                        .isEqualTo(409);
            }
        }
    }

    @Test
    void the_role_in_an_inner_list_is_none() {
        gateway.insertUsers("{_id: 'inner', roles: ['inner', ['admin']]}");
        assertThat(gateway.user("inner").get("/users").statusCode())
                .as("the filters that protect accounts with the role do not find it")
                .isEqualTo(403);
    }

    @Test
    void other_accounts_are_managed_as_before() {
        assertThat(staff().patch("/users/staff", "{\"password\": \"pw\"}").statusCode())
                .as("its own")
                .isEqualTo(200);
        assertStatus(201, staff().post("/users", "{\"_id\": \"n\", \"password\": \"a\", \"roles\": [\"viewer\"]}"));
        assertStatus(200, staff().put("/users/n?wm=upsert", "{\"password\": \"b\", \"roles\": []}"));
        assertStatus(200, staff().patch("/users/n", "{\"roles\": [\"editor\"]}"));
        assertStatus(204, staff().delete("/users/n"));
        assertStatus(200, gateway.as("admin").patch("/users/second", "{\"y\": 1}"));
    }
}
