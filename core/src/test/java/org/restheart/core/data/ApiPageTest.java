package org.restheart.core.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.Shell;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Runs the commands of docs/reference/api.md with bash and curl, in order, and compares what they print with
/// the block that follows each.
@WithMongo
class ApiPageTest {
    private static final Path PAGE = Path.of("../docs/reference/api.md");
    private static final Pattern EXAMPLE =
            Pattern.compile("```sh\\n(.*?)```\\n(?:\\n```(?:json|text)\\n(.*?)```)?", Pattern.DOTALL);

    /// Stands in the output between what two examples print.
    private static final String SEPARATOR = "=== next example ===";

    @Test
    void every_example_prints_what_the_page_says(TestMongo mongo) throws Exception {
        var commands = new StringBuilder();
        var expected = new ArrayList<String>();
        var examples = EXAMPLE.matcher(Files.readString(PAGE));
        while (examples.find()) {
            commands.append(examples.group(1))
                    .append("\necho\necho '")
                    .append(SEPARATOR)
                    .append("'\n");
            expected.add(examples.group(2) == null ? "" : examples.group(2).strip());
        }
        var database = mongo.databaseName();
        mongo.database().createCollection("_properties");
        try (var gateway = ConformanceGateway.start(
                mongo,
                "mongo: {mongo-mounts: [{what: /%s, where: /}], require-index: warn, require-index-above: 2}"
                        .formatted(database))) {
            assertThat(run(commands.toString().replace("localhost:8080", "127.0.0.1:" + gateway.port())))
                    .hasSizeGreaterThan(10)
                    .isEqualTo(expected);
        }
    }

    private static List<String> run(String commands) throws IOException, InterruptedException {
        var output = Shell.run(Path.of("."), commands);
        return Pattern.compile(SEPARATOR)
                .splitAsStream(output.strip())
                .map(String::strip)
                .toList();
    }
}
