package org.restheart.perftest.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.restheart.perftest.measure.CpuUse;
import org.restheart.perftest.measure.Latency;
import org.restheart.perftest.measure.Machine;
import org.restheart.perftest.measure.Measurement;

class ReportTest {
    private static final Latency LATENCY = new Latency(1000, 900, 950, 1200, 1500, 2000, 3000, 9000);

    @TempDir
    Path folder = Path.of("");

    @Test
    void repetitions_become_min_median_and_max() {
        var cells =
                Cell.of(List.of(row("gateway", 8, 1, 3000), row("gateway", 8, 2, 1000), row("gateway", 8, 3, 2000)));
        assertThat(cells).singleElement().satisfies(cell -> {
            assertThat(cell.rate()).isEqualTo(new Spread(1000, 2000, 3000));
            assertThat(cell.latency(Latency::p99)).isEqualTo(2000);
            assertThat(cell.cpuPerOperation().get("mongod")).isEqualTo(1.5 * 1e6 / 6000);
        });
    }

    @Test
    void ratios_compare_equal_levels_only() {
        var rows = List.of(
                row("driver", 1, 1, 500),
                row("driver", 8, 1, 1000),
                row("gateway", 8, 1, 5000),
                row("gateway", 9, 1, 1));
        assertThat(Ratios.of(rows, "driver"))
                .singleElement()
                .asString()
                .contains("gateway")
                .contains("5.000 × driver");
    }

    @Test
    void ratios_tell_how_far_the_repetitions_differ() {
        var rows = List.of(
                row("driver", 8, 1, 1000),
                row("driver", 8, 2, 1000),
                row("gateway", 8, 1, 900),
                row("gateway", 8, 2, 1100));
        assertThat(Ratios.of(rows, "driver")).singleElement().asString().endsWith("1.000 × driver (0.900 – 1.100)");
    }

    @Test
    void without_a_baseline_no_column_refers_to_one() {
        var report = report(List.of(row("gateway", 8, 1, 5000)), "");
        assertThat(Markdown.of(report)).doesNotContain("×");
    }

    @Test
    void the_cost_of_a_subject_is_reported_for_each_level() {
        var rows = List.of(costing("B", 1, 1.1), costing("A", 1, 1.0));
        assertThat(Ratios.cpuPerLevel(rows, "gateway", "B", "A"))
                .containsExactly("page, level 8: CPU time of gateway per operation, 'B' ÷ 'A': 1.100 (1.100 – 1.100)");
    }

    @Test
    void the_text_compares_with_the_same_level_and_with_the_best() {
        var rows = List.of(row("driver", 8, 1, 1000), row("driver", 2, 1, 2000), row("gateway", 8, 1, 5000));
        assertThat(Markdown.of(report(rows))).contains("| gateway | 8 | **5,000** (5,000 – 5,000) | 5.00 | 2.50 |");
    }

    @Test
    void a_disturbed_run_says_so() {
        var quiet = row("gateway", 8, 1, 1000);
        var errors = new Row("read", "gateway", 8, 2, measurement(1000, Map.of("HTTP 503", 3L), cpu(0, 0, 0)));
        var stolen = new Row("read", "gateway", 8, 3, measurement(1000, Map.of(), cpu(0.5, 0, 0)));
        var others = new Row("read", "gateway", 8, 4, measurement(1000, Map.of(), cpu(0, 1, 0)));
        var swapped = new Row("read", "gateway", 8, 5, measurement(1000, Map.of(), cpu(0, 0, 7)));
        var busy = new Row(
                "read",
                "gateway",
                8,
                6,
                new Measurement(1, 1000, LATENCY, Map.of(), 0, Optional.of(0.97), cpu(0, 0, 0)));
        assertThat(Markdown.Disturbance.in(List.of(quiet))).isEmpty();
        assertThat(Markdown.Disturbance.in(List.of(quiet, errors, stolen, others, swapped, busy)))
                .satisfiesExactly(
                        text -> assertThat(text).contains("repetition 2").contains("HTTP 503=3"),
                        text -> assertThat(text)
                                .contains("repetition 3")
                                .contains("5.0 %")
                                .contains("hypervisor"),
                        text -> assertThat(text)
                                .contains("repetition 4")
                                .contains("10.0 %")
                                .contains("other processes"),
                        text -> assertThat(text).contains("repetition 5").contains("7 pages"),
                        text -> assertThat(text).contains("repetition 6").contains("ran 97 %"));
    }

    @Test
    void the_price_of_a_subject_is_compared_within_each_repetition() {
        var rows = List.of(
                costing("account", 1, 1.1),
                costing("anybody", 1, 1.0),
                costing("account", 2, 2.4),
                costing("anybody", 2, 2.0),
                costing("account", 3, 1.0),
                costing("anybody", 3, 1.0));
        assertThat(Ratios.cpu(rows, "gateway", "account", "anybody"))
                .endsWith("'account' ÷ 'anybody': 1.100 (1.000 – 1.200)");
    }

    private static Row costing(String subject, int repetition, double gatewaySeconds) {
        var cpu = new CpuUse(Map.of("gateway", gatewaySeconds), 10, 5, 0, 0, 0, 0);
        return new Row("page", subject, 8, repetition, measurement(1000, Map.of(), cpu));
    }

    @Test
    void results_are_never_overwritten() throws Exception {
        var results = new Results(folder);
        var report = report(List.of(row("driver", 8, 1, 1000), row("gateway", 8, 1, 5000)));
        assertThat(results.write(report))
                .isEqualTo(folder.resolve("2026-11-20-abc").resolve("trial.md"));
        assertThat(results.write(report)).hasFileName("trial-2.md").content().startsWith("# trial");
        assertThat(folder.resolve("2026-11-20-abc").resolve("trial.json"))
                .content()
                .contains("\"seed\"");
    }

    private static Report report(List<Row> rows) {
        return report(rows, "driver");
    }

    private static Report report(List<Row> rows, String baseline) {
        return new Report(
                "trial",
                "Does it?",
                "2026-11-20T10:00:00Z",
                1.5,
                "abc",
                "./perftest/run trial",
                new Machine("cpu", 2, 1000, "6", "jvm", "20000", List.of(0.1, 0.1, 0.1)),
                Map.of("seed", "1|2"),
                "clients",
                baseline,
                rows,
                List.of("a note"));
    }

    private static Row row(String subject, int level, int repetition, long operations) {
        return new Row("read", subject, level, repetition, measurement(operations, Map.of(), cpu(0, 0, 0)));
    }

    private static Measurement measurement(long operations, Map<String, Long> errors, CpuUse cpu) {
        return new Measurement(1, operations, LATENCY, errors, 0, Optional.empty(), cpu);
    }

    private static CpuUse cpu(double stolen, double others, long swapped) {
        return new CpuUse(Map.of("mongod", 0.5), 10, 5, stolen, 0.1, others, swapped);
    }
}
