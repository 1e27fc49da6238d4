package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.core.security.TestGateway.encode;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Callers whose filters have the same keys and values, but in another order.
@WithMongo
class SharedAnswersTest {
    private static final int TIMES = 100;

    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "");
        gateway.insertUsers(
                "{_id: 'one', roles: ['member'], org: {unit: 'x', parent: 'y'}}",
                "{_id: 'two', roles: ['member'], org: {parent: 'y', unit: 'x'}}");
        gateway.permit("{_id: 1, roles: ['member'], predicate: \"path-prefix('/c')\","
                + " mongo: {readFilter: {org: '@user.org'}}}");
        for (int i = 0; i < 300; i++) {
            gateway.insert(
                    "c",
                    "{_id: 'one" + (1000 + i) + "', a: " + i % 2 + ", b: " + i % 3 + ", org: {unit: 'x', parent: 'y'}}",
                    "{_id: 'two" + (1000 + i) + "', a: " + i % 2 + ", b: " + i % 3
                            + ", org: {parent: 'y', unit: 'x'}}");
        }
    }

    /// All responses of two callers that send the same request concurrently.
    private static List<List<String>> together(TestClient first, String target, TestClient second, String other) {
        var answers = List.<List<String>>of(
                java.util.Collections.synchronizedList(new ArrayList<>()),
                java.util.Collections.synchronizedList(new ArrayList<>()));
        try (var threads = Executors.newFixedThreadPool(8)) {
            for (int i = 0; i < TIMES; i++) {
                threads.execute(() -> answers.get(0).add(first.get(target).body()));
                threads.execute(() -> answers.get(1).add(second.get(other).body()));
            }
        }
        return answers;
    }

    @Test
    void accounts_whose_filters_differ_in_the_order_of_keys_share_no_answer() {
        for (var target : List.of(
                "/c?sort=_id&pagesize=5",
                "/c?sort=_id&pagesize=5&cache",
                "/c?sort=_id&pagesize=5&page=30",
                "/c?sort=_id&pagesize=5&page=30&eager=linear",
                "/c?sort=_id&pagesize=5&page=30&eager=random",
                "/c?sort=_id&pagesize=5&page=40&cache")) {
            var answers = together(gateway.user("one"), target, gateway.user("two"), target);
            assertThat(answers.get(0)).as(target).hasSize(TIMES).allMatch(body -> body.contains("\"one1"));
            assertThat(answers.get(0)).as(target).noneMatch(body -> body.contains("\"two1"));
            assertThat(answers.get(1)).as(target).hasSize(TIMES).allMatch(body -> body.contains("\"two1"));
            assertThat(answers.get(1)).as(target).noneMatch(body -> body.contains("\"one1"));
        }
    }

    @Test
    void accounts_whose_filters_differ_in_the_order_of_keys_share_no_document() {
        var answers = together(gateway.user("one"), "/c/one1000", gateway.user("two"), "/c/one1000");
        assertThat(answers.get(0)).hasSize(TIMES).allMatch(body -> body.contains("\"parent\""));
        assertThat(answers.get(1)).hasSize(TIMES).noneMatch(body -> body.contains("\"parent\""));
    }

    @Test
    void sorts_whose_keys_have_another_order_share_no_answer() {
        var first = "/c?pagesize=5&cache&keys={\"a\":1,\"b\":1}&sort=" + "{\"a\":1,\"b\":1,\"_id\":1}";
        var second = "/c?pagesize=5&cache&keys={\"a\":1,\"b\":1}&sort=" + "{\"b\":1,\"a\":1,\"_id\":1}";
        for (var page : List.of("&page=20", "&page=21")) {
            var one = encoded(first) + page;
            var two = encoded(second) + page;
            var alone = List.of(
                    gateway.user("one").get(one.replace("&cache", "")).body(),
                    gateway.user("one").get(two.replace("&cache", "")).body());
            assertThat(alone.get(0)).isNotEqualTo(alone.get(1));
            var answers = together(gateway.user("one"), one, gateway.user("one"), two);
            assertThat(answers.get(0)).containsOnly(alone.get(0));
            assertThat(answers.get(1)).containsOnly(alone.get(1));
        }
    }

    private static String encoded(String target) {
        int query = target.indexOf('?');
        var parameters = new ArrayList<String>();
        for (var parameter : target.substring(query + 1).split("&", -1)) {
            int equals = parameter.indexOf('=');
            parameters.add(
                    equals < 0
                            ? parameter
                            : parameter.substring(0, equals + 1) + encode(parameter.substring(equals + 1)));
        }
        return target.substring(0, query + 1) + String.join("&", parameters);
    }

    @Test
    void numbers_of_other_types_are_other_questions() {
        var target = encoded("/c?pagesize=1&cache&keys={\"x\":{\"$literal\":1},\"_id\":0}");
        var doubles = encoded("/c?pagesize=1&cache&keys={\"x\":{\"$literal\":1.0},\"_id\":0}");
        var answers = together(gateway.user("one"), target, gateway.user("one"), doubles);
        assertThat(answers.get(0)).containsOnly(gateway.user("one").get(target).body());
        assertThat(answers.get(1)).containsOnly(gateway.user("one").get(doubles).body());
    }
}
