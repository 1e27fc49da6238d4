package org.restheart.perftest.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BroadcastTest {
    private static final long MIB = 1L << 20;

    @Test
    void memory_is_shared_out_when_it_has_grown() {
        assertThat(Broadcast.BroadcastOutcome.each(40 * MIB, 32 * MIB, 1024)).isEqualTo("40.00 KiB");
    }

    @Test
    void growth_within_the_noise_is_not_divided() {
        assertThat(Broadcast.BroadcastOutcome.each(31 * MIB, 32 * MIB, 10))
                .isEqualTo("below noise (all together grew by less than 32 MiB)");
        assertThat(Broadcast.BroadcastOutcome.each(-13 * MIB, 32 * MIB, 10)).startsWith("below noise");
    }
}
