package org.restheart.core.graphql;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.core.dataapi.ConformanceGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// What access rules say of a path holds for every spelling under which an app is served.
@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AppPathsTest {
    private final ConformanceGateway gateway;

    AppPathsTest(TestMongo mongo) {
        this.gateway = GraphqlGateway.start(mongo, "app-cache-ttr: 600000");
        var admin = new GraphqlClient(gateway, "admin");
        admin.define("one", definition("/hidden/v1/"));
        admin.define("two", definition("open"));
    }

    private static String definition(String uri) {
        return """
                {"descriptor": {"uri": "%s"}, "schema": "type Query { a: String }", "mappings": {"Query": {"a": "a"}}}
                """.formatted(uri);
    }

    @AfterAll
    void stop() {
        gateway.close();
    }

    @ParameterizedTest
    @CsvSource({
        "open, 200, 200",
        "open/, 200, 200",
        "hidden/v1, 200, 403",
        "hidden/v1/, 200, 403",
        "hidden/v1;x=y, 200, 403",
        "%68idden/v1, 200, 403",
        "/hidden/v1, 404, 404",
        "//hidden/v1, 404, 404",
        ";x/hidden/v1, 404, 404",
        "hidden%2Fv1, 404, 404",
        "hidden%2fv1, 404, 404",
        "%2Fhidden/v1, 404, 404",
        "hidden//v1, 404, 403",
        "open%2F, 404, 404",
        "one, 200, 200"
    })
    void no_spelling_avoids_a_rule(String path, int admin, int fay) {
        assertThat(status("admin", path)).isEqualTo(admin);
        assertThat(status("fay", path)).isEqualTo(fay);
    }

    private int status(String user, String path) {
        return new GraphqlClient(gateway, user).ask(path, "{a}").statusCode();
    }
}
