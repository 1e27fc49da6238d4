package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.Gateway;
import org.restheart.testkit.Shell;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Runs the commands of pages for newcomers and about security in one shell, in order, against a gateway that was never
/// started before, and checks what each page says they print.
@WithMongo
class SecurePageTest {
    private static final Path DOCS = Path.of("../docs");
    private static final Pattern COMMANDS =
            Pattern.compile("```sh\\n((?:(?!```).)*)```\\n<!-- prints (.*?) -->", Pattern.DOTALL);
    private static final String SEPARATOR = "=== next ===";

    @ParameterizedTest
    @ValueSource(strings = {"how-to/secure.md", "how-to/web-app.md", "reference/rules.md", "../README.md"})
    void the_page_says_what_happens(String page, TestMongo mongo) throws Exception {
        var script = new StringBuilder();
        var prints = new ArrayList<String>();
        var matcher = COMMANDS.matcher(Files.readString(DOCS.resolve(page)));
        while (matcher.find()) {
            script.append(matcher.group(1)).append("echo '").append(SEPARATOR).append("'\n");
            prints.add(matcher.group(2));
        }
        assertThat(prints).hasSizeGreaterThan(2);
        var database = mongo.newDatabaseName();
        var config = TestGateway.config(mongo.connectionString(), database, TestGateway.REALM + """
            tokenBasicAuthMechanism: {enabled: true}
            jwtAuthenticationMechanism: {enabled: true}
            jwtTokenManager: {enabled: true}
            """);
        try (var gateway = Gateway.start(config)) {
            var commands = script.toString()
                    .replace("localhost:8080", "127.0.0.1:" + gateway.address().getPort());
            var output = List.of(Shell.run(Path.of("."), commands).split(SEPARATOR, -1));
            for (int i = 0; i < prints.size(); i++) {
                assertThat(output.get(i)).as(output.get(i)).contains(prints.get(i));
            }
        }
    }
}
