package org.restheart.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.restheart.embedded.MongodProcess.LogEnd;

final class LogEndTest {
    private static final String INFO = "{\"s\":\"I\",\"c\":\"NETWORK\",\"msg\":\"Listening\",\"attr\":{\"port\":1}}\n";
    private static final String ERROR =
            "{\"s\":\"E\",\"c\":\"STORAGE\",\"msg\":\"Broken\",\"attr\":{\"file\":\"a\"}}\n";

    @TempDir
    Path directory;

    @Test
    void errors_are_shown_without_the_chatter_around_them() throws IOException {
        assertThat(LogEnd.of(log(INFO + ERROR + INFO), 0))
                .contains("STORAGE: Broken {\"file\": \"a\"}")
                .doesNotContain("Listening");
    }

    @Test
    void without_errors_the_last_lines_are_shown() throws IOException {
        assertThat(LogEnd.of(log(INFO.repeat(50)), 0).lines())
                .hasSize(13)
                .last()
                .asString()
                .contains("Listening");
    }

    @Test
    void an_earlier_run_is_not_quoted() throws IOException {
        assertThat(LogEnd.of(log(ERROR + INFO), ERROR.length()))
                .doesNotContain("Broken")
                .contains("Listening");
    }

    @Test
    void output_of_the_loader_before_mongod_runs_is_shown() throws IOException {
        assertThat(LogEnd.of(log("mongod: libcurl.so.4: cannot open\n"), 0)).contains("libcurl");
    }

    @Test
    void a_missing_log_is_said_to_be_missing() {
        assertThat(LogEnd.of(directory.resolve("absent"), 0)).contains("cannot be read");
    }

    private Path log(String content) throws IOException {
        return Files.writeString(directory.resolve("log"), content);
    }
}
