package org.restheart.core.filter;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.restheart.http.ProblemCode;

class ErrorsReferenceTest {
    @Test
    void every_code_is_documented_with_its_status() throws Exception {
        var page = Files.readString(Path.of("..", "docs", "reference", "errors.md"));
        var documented = Pattern.compile("^\\| `([A-Z_]+)` \\| (\\d+) \\|", Pattern.MULTILINE)
                .matcher(page)
                .results()
                .map(row -> row.group(1) + " " + row.group(2))
                .toList();
        assertThat(documented)
                .containsExactlyInAnyOrderElementsOf(Stream.of(ProblemCode.values())
                        .map(code -> code.name() + " " + code.status())
                        .toList());
    }
}
