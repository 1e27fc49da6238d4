package org.restheart.mongo.cursor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.restheart.mongo.cursor.CursorPoolConfig.Slot;

class CursorPoolConfigTest {
    private final CursorPoolConfig.Allocation slices =
            new CursorPoolConfig.Allocation(100, 1_000, 100, List.of(4, 2, 1), 20, 500, 1_000);

    @Test
    void a_client_that_walks_finds_cursors_before_its_slice_and_the_next_ones() {
        assertThat(slices.linear(5_432))
                .containsExactly(new Slot(4_900, 1_100, 4), new Slot(5_900, 1_100, 2), new Slot(6_900, 1_100, 1));
    }

    @Test
    void the_first_slice_has_no_cursor_since_a_result_begins_there_anyway() {
        assertThat(slices.linear(999)).containsExactly(new Slot(900, 1_100, 2), new Slot(1_900, 1_100, 1));
    }

    @Test
    void a_client_that_jumps_finds_one_before_every_equal_part() {
        assertThat(slices.random(100_000))
                .hasSize(19)
                .startsWith(new Slot(5_000, 5_000, 1), new Slot(10_000, 5_000, 1))
                .endsWith(new Slot(95_000, 5_000, 1));
    }

    @Test
    void parts_have_the_least_width_and_nothing_is_positioned_in_a_result_of_one_part() {
        assertThat(slices.random(1_600)).containsExactly(new Slot(534, 534, 1), new Slot(1_068, 534, 1));
        assertThat(slices.random(999)).isEmpty();
        assertThat(slices.random(0)).isEmpty();
    }

    @Test
    void a_cursor_reads_no_further_than_it_could_be_used() {
        assertThat(slices.random(10_000_000)).hasSize(19).allMatch(slot -> slot.span() == ParkedCursors.MAX_DISTANCE);
    }
}
