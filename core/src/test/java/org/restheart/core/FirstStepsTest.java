package org.restheart.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.RunningServer.FirstSteps;
import org.restheart.core.config.GatewayConfig;
import org.restheart.rest.resource.Mounts.Mount;

class FirstStepsTest {
    @ParameterizedTest
    @ValueSource(strings = {"/db", "/db/"})
    void mounts_are_below_the_path_of_the_data_api(String uri) {
        var config = GatewayConfig.parse("mongo: {uri: %s, mongo-mounts: [{what: '*', where: /}]}".formatted(uri));
        assertThat(RunningServer.served(config)).containsExactly(new Mount("*", "/db/"));
    }

    @ParameterizedTest
    @CsvSource({
        "/restheart, /, http://h:1/ http://h:1/books",
        "*, /, http://h:1/test http://h:1/test/books",
        "*, /api/, http://h:1/api/test http://h:1/api/test/books",
        "/shop, /shop, http://h:1/shop http://h:1/shop/books",
        "/shop/orders, /orders, ''",
        "'/{tenant}', '/{tenant}', ''"
    })
    void the_commands_are_for_the_first_mount(String what, String where, String made) {
        var out = new ByteArrayOutputStream();
        FirstSteps.print(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                URI.create("http://h:1"),
                List.of(new Mount(what, where)),
                Optional.empty(),
                true);
        var printed = out.toString(StandardCharsets.UTF_8);
        assertThat(printed).contains("Sign in as admin");
        if (made.isEmpty()) {
            assertThat(printed).doesNotContain("curl");
        } else {
            assertThat(printed).contains("-X PUT " + made + System.lineSeparator());
        }
    }
}
