package org.restheart.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ProblemCodeTest {
    private static final Path REFERENCE = Path.of("..", "docs", "reference", "errors.md");

    @ParameterizedTest
    @EnumSource(ProblemCode.class)
    void has_a_row_in_the_reference(ProblemCode code) throws IOException {
        assertThat(Files.readAllLines(REFERENCE))
                .anyMatch(line -> line.startsWith("| `" + code.name() + "` | " + code.status() + " | "));
    }
}
