package org.restheart.core.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// What docs/reference/differences.md says was decided anew has conformance cases, whose names begin with the number
/// that the page gives.
class DifferencesPageTest {
    private static final Path PAGE = Path.of("../docs/reference/differences.md");
    private static final Path CASES = Path.of("src/test/resources/conformance");
    private static final Pattern ON_THE_PAGE = Pattern.compile("\\((\\d+)\\)");
    private static final Pattern IN_A_NAME = Pattern.compile("(?m)^- name: \"(\\d+): ");

    @Test
    void every_number_on_the_page_has_a_case_and_every_case_is_on_the_page() throws IOException {
        var tested = new TreeSet<Integer>();
        try (var files = Files.newDirectoryStream(CASES, "*.yml")) {
            for (var file : files) {
                tested.addAll(numbers(IN_A_NAME, file));
            }
        }
        assertThat(numbers(ON_THE_PAGE, PAGE)).hasSizeGreaterThan(20).isEqualTo(tested);
    }

    private static Set<Integer> numbers(Pattern pattern, Path file) throws IOException {
        var numbers = new TreeSet<Integer>();
        pattern.matcher(Files.readString(file))
                .results()
                .forEach(found -> numbers.add(Integer.valueOf(found.group(1))));
        return numbers;
    }
}
