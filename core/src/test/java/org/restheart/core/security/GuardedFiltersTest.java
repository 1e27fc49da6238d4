package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.util.List;
import java.util.stream.Stream;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// A guard that asks which accounts a filter concerns tells nothing about those that the caller may not change.
@WithMongo
class GuardedFiltersTest {
    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "");
        gateway.permit(
                "lead",
                "path-prefix('/users')",
                "{writeFilter: {team: '@user.team'},"
                        + " readFilter: {team: '@user.team'}, allowBulkPatch: true, allowBulkDelete: true}");
        gateway.permit(
                "blind",
                "path-prefix('/users')",
                "{projectResponse: {pin: 0}," + " allowBulkPatch: true, allowBulkDelete: true}");
        gateway.addUsers("lead", "blind");
        gateway.insertUsers("{_id: 'root2', roles: ['admin'], pin: '4711'}");
        gateway.collection("users")
                .updateOne(new Document("_id", "lead"), new Document("$set", new Document("team", "a")));
        gateway.collection("users")
                .updateOne(new Document("_id", "admin"), new Document("$set", new Document("pin", "4711")));
    }

    private static List<String> answers(String account, String method, String filter) {
        return Stream.of("4711", "4712")
                .map(pin -> {
                    var response = gateway.user(account)
                            .json(
                                    method,
                                    "/users/*?filter=" + TestGateway.encode(filter.formatted(pin)),
                                    method.equals("PATCH") ? "{\"note\": \"x\"}" : "");
                    return response.statusCode() + response.body().replace(pin, "");
                })
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"PATCH", "DELETE"})
    void what_fails_for_one_value_is_not_evaluated_on_accounts_outside_of_the_rule(String method) {
        var answers = answers("lead", method, """
                {"$or": [{"$expr": {"$gt": [{"$divide": [1,
                  {"$cond": [{"$eq": ["$pin", "%s"]}, 0, 1]}]}, 100]}}, {"nope": 1}]}""");
        assertThat(answers.get(0)).isEqualTo(answers.get(1)).startsWith("403");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PATCH", "DELETE"})
    void hidden_fields_are_not_compared(String method) {
        var answers = answers("blind", method, "{\"pin\": \"%s\"}");
        assertThat(answers.get(0)).isEqualTo(answers.get(1));
    }

    @Test
    void operators_that_are_forbidden_are_not_run() {
        var answer = gateway.as("admin")
                .patch("/users/*?filter=" + TestGateway.encode("{\"$where\": \"sleep(1)\"}"), "{\"note\": \"x\"}");
        assertStatus(403, answer);
    }
}
