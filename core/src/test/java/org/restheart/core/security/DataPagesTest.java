package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.testkit.Shell;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Runs the commands of pages about data with bash and curl, in order, and compares the status of each response.
@WithMongo
class DataPagesTest {
    private static final Pattern EXAMPLE = Pattern.compile("```sh\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern CSV = Pattern.compile("```csv\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern STATUS = Pattern.compile("STATUS (\\d{3})");
    private static final String PRELUDE = "curl() { command curl -w '%{stderr}STATUS %{http_code}\\n' \"$@\"; }\n";

    @AutoClose
    private static TestGateway gateway;

    @TempDir
    private Path folder;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "imports: {db: $db}");
        gateway.database().createCollection("books");
    }

    @ParameterizedTest
    @CsvSource({
        "reference/schemas.md, 201 201 201 400 200 201 200 204",
        "reference/files.md, 201 201 200 200",
        "reference/sessions.md, 200 201 201 201 200",
        "how-to/import-and-export.md, 201 202 202 200 200 200"
    })
    void every_command_gets_its_status(String name, String statuses) throws Exception {
        var page = Files.readString(Path.of("../docs").resolve(name));
        var csv = CSV.matcher(page);
        Files.writeString(folder.resolve("quakes.csv"), csv.find() ? csv.group(1) : "");
        Files.writeString(folder.resolve("logo.png"), "content");

        var commands =
                EXAMPLE.matcher(page).results().map(match -> match.group(1)).collect(Collectors.joining());
        var output = Shell.run(
                folder,
                commands.lines()
                        .filter(line -> !line.startsWith("./run ")) // another test runs these
                        .collect(Collectors.joining("\n", PRELUDE, "\n"))
                        .replace(
                                "localhost:8080",
                                "127.0.0.1:" + gateway.address().getPort())
                        .replace("admin:secret", "admin:admin-pw"));

        assertThat(STATUS.matcher(output).results().map(match -> match.group(1)))
                .as("%s", output)
                .containsExactlyElementsOf(Arrays.asList(statuses.split(" ", -1)));
    }
}
