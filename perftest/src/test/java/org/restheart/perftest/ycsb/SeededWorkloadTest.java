package org.restheart.perftest.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.Vector;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;
import site.ycsb.generator.ScrambledZipfianGenerator;
import site.ycsb.generator.ZipfianGenerator;
import site.ycsb.workloads.CoreWorkload;

class SeededWorkloadTest {
    private static final int RECORDS = 500;
    private static final int DRAWS = 200_000;

    @ParameterizedTest
    @EnumSource
    void equal_seeds_choose_the_same_transactions(YcsbWorkload workload) {
        assertThat(calls(workload, 7)).isEqualTo(calls(workload, 7)).hasSizeGreaterThanOrEqualTo(400);
    }

    @ParameterizedTest
    @EnumSource
    void another_seed_chooses_others(YcsbWorkload workload) {
        assertThat(calls(workload, 8)).isNotEqualTo(calls(workload, 7));
    }

    @Test
    void threads_of_one_run_choose_differently_and_never_insert_the_same_document() {
        var calls = calls(YcsbWorkload.D, 7);
        var inserts = calls.stream().filter(call -> call.startsWith("insert")).toList();
        assertThat(inserts).isNotEmpty().doesNotHaveDuplicates();
        assertThat(calls.subList(0, calls.size() / 2)).isNotEqualTo(calls.subList(calls.size() / 2, calls.size()));
    }

    @ParameterizedTest
    @EnumSource
    void kinds_are_as_frequent_as_the_workload_says(YcsbWorkload workload) {
        var original = frequencies(workload.create("t", RECORDS));
        var seeded = frequencies(workload.create("t", RECORDS, 1, 7).getFirst());
        assertThat(seeded.keySet()).isEqualTo(original.keySet());
        seeded.forEach((kind, share) -> assertThat(share).isCloseTo(original.get(kind), within(0.05)));
    }

    @Test
    void popular_items_are_as_popular_as_ycsb_has_them() {
        var original = new ZipfianGenerator(1000);
        var ours = SeededWorkload.Zipfian.over(1000);
        var random = new java.util.SplittableRandom(7);
        var expected = shares(() -> original.nextValue());
        var drawn = shares(() -> ours.at(random.nextDouble()));
        assertThat(drawn.subList(0, 3)).allSatisfy(share -> assertThat(share).isGreaterThan(0.02));
        for (var i = 0; i < 5; i++) {
            assertThat(drawn.get(i)).isCloseTo(expected.get(i), within(0.004));
        }
    }

    @Test
    void scrambled_keys_are_as_popular_as_ycsb_has_them() {
        var original = new ScrambledZipfianGenerator(0, RECORDS - 1);
        var random = new java.util.SplittableRandom(7);
        var zipfian = SeededWorkload.Zipfian.scrambled();
        var expected = shares(() -> original.nextValue());
        var drawn = shares(() -> site.ycsb.Utils.fnvhash64(zipfian.at(random.nextDouble())) % RECORDS);
        for (var i = 0; i < 3; i++) {
            assertThat(drawn.get(i)).isCloseTo(expected.get(i), within(0.004));
        }
    }

    /// The shares of the most popular values, largest first.
    private static List<Double> shares(LongSupplier generator) {
        var counts = new HashMap<Long, Long>();
        LongStream.generate(generator).limit(DRAWS).forEach(value -> counts.merge(value, 1L, Long::sum));
        return counts.values().stream()
                .sorted(Collections.reverseOrder())
                .map(count -> (double) count / DRAWS)
                .toList();
    }

    private static Map<String, Double> frequencies(CoreWorkload workload) {
        var transactions = 5000;
        var calls = new Calls();
        for (var i = 0; i < transactions; i++) {
            workload.doTransaction(calls, null);
        }
        var counts = new TreeMap<String, Double>();
        calls.made.forEach(call -> counts.merge(call.substring(0, call.indexOf(' ')), 1.0 / transactions, Double::sum));
        return counts;
    }

    /// What two threads do in 200 transactions each, one after the other.
    private static List<String> calls(YcsbWorkload workload, long seed) {
        var calls = new Calls();
        for (var thread : workload.create("t", RECORDS, 2, seed)) {
            for (var i = 0; i < 200; i++) {
                thread.doTransaction(calls, null);
            }
        }
        return calls.made;
    }

    /// Notes keys and fields, and finds everything.
    private static final class Calls extends DB {
        private final List<String> made = new ArrayList<>();

        private Status made(String call) {
            made.add(call);
            return Status.OK;
        }

        @Override
        public Status read(String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
            return made("read " + key);
        }

        @Override
        @SuppressWarnings("NonApiType") // as YCSB declares it
        public Status scan(
                String table,
                String first,
                int count,
                Set<String> fields,
                Vector<HashMap<String, ByteIterator>> result) {
            return made("scan " + first + " " + count);
        }

        @Override
        public Status update(String table, String key, Map<String, ByteIterator> values) {
            return made("update " + key + " " + values.keySet());
        }

        @Override
        public Status insert(String table, String key, Map<String, ByteIterator> values) {
            return made("insert " + key);
        }

        @Override
        public Status delete(String table, String key) {
            return made("delete " + key);
        }
    }
}
