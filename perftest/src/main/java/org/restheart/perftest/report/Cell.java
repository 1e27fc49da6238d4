package org.restheart.perftest.report;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.restheart.perftest.measure.Latency;

/// The repetitions of one subject at one level of one operation, and what they amount to. Immutable.
record Cell(String operation, String subject, int level, List<Row> rows) {

    /// In the order in which the rows were first measured.
    static List<Cell> of(List<Row> rows) {
        record Key(String operation, String subject, int level) {}
        return rows.stream()
                .collect(Collectors.groupingBy(
                        row -> new Key(row.operation(), row.subject(), row.level()),
                        LinkedHashMap::new,
                        Collectors.toList()))
                .entrySet()
                .stream()
                .map(e -> new Cell(
                        e.getKey().operation(), e.getKey().subject(), e.getKey().level(), List.copyOf(e.getValue())))
                .toList();
    }

    Spread rate() {
        return Spread.of(rows, row -> row.measurement().rate());
    }

    /// The median over the repetitions, in microseconds.
    double latency(ToDoubleFunction<Latency> part) {
        return Spread.of(rows, row -> part.applyAsDouble(row.measurement().latency()))
                .median();
    }

    long failed() {
        return rows.stream().mapToLong(row -> row.measurement().failed()).sum();
    }

    /// CPU microseconds per operation by process, over all repetitions.
    Map<String, Double> cpuPerOperation() {
        var operations =
                rows.stream().mapToLong(row -> row.measurement().operations()).sum();
        return rows.stream()
                .flatMap(row -> row.measurement().cpu().seconds().entrySet().stream())
                .collect(Collectors.groupingBy(
                        Map.Entry::getKey,
                        TreeMap::new,
                        Collectors.summingDouble(e -> operations == 0 ? 0 : e.getValue() * 1e6 / operations)));
    }
}
