package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.restheart.core.security.InProcessGateway.Command;
import org.restheart.http.Fields;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// A request that a service makes inside the process is answered and refused as if the client had sent it.
@WithMongo
class JudgedRequestsTest {
    private static TestMongo mongo;

    @BeforeAll
    static void start(TestMongo started) {
        mongo = started;
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void outcomes_and_refusals_are_those_of_the_request_that_a_client_sends(int seed) {
        var random = new Random(seed);
        var permissions = permissions(random);
        try (var sent = new InProcessGateway(mongo, permissions);
                var judged = new InProcessGateway(mongo, permissions)) {
            int refused = 0;
            for (int i = 0; i < 60; i++) {
                var command = command(random);
                var expected = sent.comparable(sent.send(command));
                assertThat(judged.comparable(judged.translate(command)))
                        .as("%s under %s", command, permissions)
                        .isEqualTo(expected);
                refused += expected.status() == 403 ? 1 : 0;
            }
            assertThat(RandomRules.comparable(judged.collection("c").find()))
                    .isEqualTo(RandomRules.comparable(sent.collection("c").find()));
            assertThat(refused).as("refusals under %s", permissions).isLessThan(60);
        }
    }

    static Stream<Integer> seeds() {
        return Stream.iterate(1, seed -> seed + 1).limit(5);
    }

    private static List<String> permissions(Random random) {
        var permissions = new ArrayList<String>();
        for (int i = 0; i < 3; i++) {
            permissions.add("{_id: 'p%d', roles: ['editor'], priority: %d, predicate: \"%s\", mongo: {%s}}"
                    .formatted(i, i, predicate(random), RandomRules.grant(random, random.nextBoolean())));
        }
        permissions.add(
                "{_id: 'read', roles: ['editor'], predicate: \"method(GET) and path-prefix('/c')\", mongo: {%s}}"
                        .formatted(RandomRules.grant(random, random.nextBoolean())));
        return permissions;
    }

    private static String predicate(Random random) {
        return RandomRules.pick(
                random,
                "path-prefix('/c')",
                "path-prefix('/c') and not method(DELETE)",
                "path-template('/c/{id}')",
                "path-prefix('/c') and qparams-blacklist(sort)",
                "path-prefix('/c') and bson-request-blacklist(secret)",
                "path-prefix('/c') and equals(@user._id, 'ada') and not via(graphql)",
                "path-prefix('/c') and via(rest, mcp)");
    }

    private static Command command(Random random) {
        int id = random.nextInt(10);
        return switch (random.nextInt(9)) {
            case 0 -> new Command("GET", "/c?sort={\"_id\":1}&filter=" + filter(random), "");
            case 1 -> new Command("GET", "/c/" + id + "?id_type=NUMBER", "");
            case 2 -> new Command("GET", "/c/_size?filter=" + filter(random), "");
            case 3 ->
                new Command("POST", "/c", "{\"n\": 1, \"owner\": \"" + RandomRules.pick(random, "ada", "bob") + "\"}");
            case 4 -> new Command("PUT", "/c/" + id + "?id_type=NUMBER&wm=upsert", "{\"n\": 7}");
            case 5 -> new Command("PATCH", "/c/" + id + "?id_type=NUMBER", "{\"$inc\": {\"n\": 1}}");
            case 6 -> new Command("DELETE", "/c/" + id + "?id_type=NUMBER", "");
            case 7 -> new Command("PATCH", "/c/*?filter=" + filter(random), "{\"secret\": 5}");
            default -> new Command("DELETE", "/c/*?filter=" + filter(random), "");
        };
    }

    private static String filter(Random random) {
        return RandomRules.pick(
                        random,
                        "{\"n\":1}",
                        "{\"secret\":{\"$gt\":3}}",
                        "{\"owner\":\"bob\"}",
                        "{\"$where\":\"1\"}",
                        "{\"n\":{\"$gte\":2}}",
                        "{",
                        "{\"$nope\":1}")
                .replace("$", "%24");
    }

    private static InProcessGateway permitting(String role, String predicate) {
        return new InProcessGateway(
                mongo, List.of("{_id: 1, roles: ['%s'], predicate: \"%s\"}".formatted(role, predicate)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        via('mcp') and action(find)  | 403 | 200
        via(rest)                    | 200 | 403
        via(rest, mcp)               | 200 | 200
        action(count)                | 403 | 403
        not action(count)            | 200 | 200
        """)
    void a_permission_may_name_the_service_and_the_action(String predicate, int rest, int mcp) {
        var command = new Command("GET", "/c", "");
        try (var gateway = permitting("editor", "path('/c') and " + predicate)) {
            assertThat(gateway.send(command).status()).isEqualTo(rest);
            assertThat(gateway.translate(command).status()).isEqualTo(mcp);
        }
    }

    @Test
    void only_services_that_say_so_can_be_reached() {
        try (var gateway = permitting("editor", "true")) {
            assertThat(gateway.translate(new Command("POST", "/_translate", "")).status())
                    .isEqualTo(403);
        }
    }

    @Test
    void without_an_account_only_what_the_public_may_do_is_done() {
        try (var gateway = permitting("$unauthenticated", "path('/c')")) {
            var mayRead = Fields.of("X-Method", "GET", "X-Target", "/c");
            assertThat(gateway.answer("POST", "/_translate", "", mayRead).status())
                    .isEqualTo(200);
            var mayNot = Fields.of("X-Method", "GET", "X-Target", "/c/1");
            assertThat(gateway.answer("POST", "/_translate", "", mayNot).status())
                    .isEqualTo(403);
        }
    }
}
