package org.restheart.perftest.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// `docs/performance.md` quotes nothing that was not measured. Of each section that links to results, the numbers from
/// a thousand on and the rates must be in one of them; smaller numbers could be there by chance, so they prove nothing.
class PerformancePageTest {
    private static final Path PAGE = Path.of("../docs/performance.md");
    private static final Pattern RESULTS = Pattern.compile("\\]\\((\\.\\./perftest/results/[^)]*)\\)");
    private static final Pattern NUMBER = Pattern.compile("\\d[\\d,]*(\\.\\d+)?");
    private static final Pattern QUOTED = Pattern.compile("(?<![\\d.,-])(\\d{1,3}(?:,\\d{3})+|\\d+(?=/s))");

    @Test
    void every_result_that_is_named_is_in_the_repository() throws IOException {
        assertThat(links(Files.readString(PAGE)))
                .isNotEmpty()
                .allSatisfy(file -> assertThat(file).exists());
    }

    @Test
    void every_number_is_in_the_results_that_its_section_names() throws IOException {
        var checked = 0;
        for (var section : Files.readString(PAGE).split("(?m)^(?=##+ )", -1)) {
            var tables = links(section).stream()
                    .filter(file -> file.toString().endsWith(".md"))
                    .toList();
            if (!tables.isEmpty()) {
                var measured = numbers(tables);
                var quoted = quoted(section);
                assertThat(measured).as(section.lines().findFirst().orElse("")).containsAll(quoted);
                checked += quoted.size();
            }
        }
        assertThat(checked).isGreaterThan(50);
    }

    @Test
    void an_invented_number_is_noticed() {
        assertThat(quoted("rate 12,345/s, 14/s and [x](../perftest/results/2026-11-20-abc/t.md) at 1.08"))
                .containsExactlyInAnyOrder(12_345.0, 14.0);
    }

    private static List<Path> links(String text) {
        return RESULTS.matcher(text)
                .results()
                .map(link -> PAGE.resolveSibling(link.group(1)).normalize())
                .toList();
    }

    private static Set<Double> quoted(String section) {
        var found = new HashSet<Double>();
        QUOTED.matcher(RESULTS.matcher(section).replaceAll(""))
                .results()
                .forEach(match -> found.add(value(match.group())));
        return found;
    }

    /// As they stand there, and rounded to whole ones.
    private static Set<Double> numbers(List<Path> tables) {
        var found = new HashSet<Double>();
        for (var table : tables) {
            NUMBER.matcher(read(table))
                    .results()
                    .map(match -> value(match.group()))
                    .forEach(value -> {
                        found.add(value);
                        found.add((double) Math.round(value));
                    });
        }
        return found;
    }

    private static double value(String number) {
        return Double.parseDouble(number.replace(",", ""));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
