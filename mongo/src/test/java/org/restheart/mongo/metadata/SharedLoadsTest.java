package org.restheart.mongo.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/// How much of what was read stays in memory: clients determine how large it is.
class SharedLoadsTest {
    private final SharedLoads<Integer, String> loads =
            new SharedLoads<>("test", 100, Duration.ofMinutes(5), String::length, 1_000);

    private long kept(int many, Function<Integer, String> load) {
        for (int i = 0; i < many; i++) {
            assertThat(loads.get(i, load)).isEqualTo(load.apply(i));
        }
        return loads.meter().entries();
    }

    @Test
    void small_values_are_bounded_in_number() {
        assertThat(kept(300, i -> "value " + i)).isBetween(50L, 100L);
    }

    @Test
    void fewer_large_values_are_kept() {
        assertThat(kept(20, i -> i + "x".repeat(300))).isBetween(1L, 3L);
    }

    @Test
    void a_value_larger_than_all_may_be_is_kept_alone() {
        var reads = new AtomicInteger();
        for (int i = 0; i < 3; i++) {
            loads.get(7, _ -> reads.incrementAndGet() + "x".repeat(5_000));
        }
        assertThat(reads).hasValue(1);
    }
}
