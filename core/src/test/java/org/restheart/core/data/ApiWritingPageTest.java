package org.restheart.core.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.Shell;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Runs the commands of docs/reference/api-writing.md with bash and curl, in order, and compares the status of each
/// answer with the comment behind the command.
@WithMongo
class ApiWritingPageTest {
    private static final Path PAGE = Path.of("../docs/reference/api-writing.md");
    private static final Pattern EXAMPLE = Pattern.compile("```bash\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern EXPECTED = Pattern.compile(" # (\\d{3})");
    private static final Pattern STATUS = Pattern.compile("STATUS (\\d{3})");

    /// Says the status of every answer beside what the command prints.
    private static final String PRELUDE = "curl() { command curl -w '%{stderr}STATUS %{http_code}\\n' \"$@\"; }\n";

    @Test
    void every_command_gets_the_status_behind_it(TestMongo mongo) throws Exception {
        var commands = new StringBuilder(PRELUDE);
        var examples = EXAMPLE.matcher(Files.readString(PAGE));
        while (examples.find()) {
            commands.append(examples.group(1));
        }
        var database = mongo.databaseName();
        mongo.database().createCollection("_properties");
        try (var gateway =
                ConformanceGateway.start(mongo, "mongo: {mongo-mounts: [{what: /%s, where: /}]}".formatted(database))) {
            var script = commands.toString()
                    .replace("localhost:8080", "127.0.0.1:" + gateway.port())
                    .replace("db=restheart", "db=" + database);
            assertThat(all(STATUS, Shell.run(Path.of("."), script)))
                    .hasSizeGreaterThan(10)
                    .isEqualTo(all(EXPECTED, script));
        }
    }

    private static List<String> all(Pattern pattern, String text) {
        return new ArrayList<>(pattern.matcher(text)
                .results()
                .map((MatchResult match) -> match.group(1))
                .toList());
    }
}
