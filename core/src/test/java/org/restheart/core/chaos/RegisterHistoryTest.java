package org.restheart.core.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RegisterHistoryTest {
    private final RegisterHistory history = new RegisterHistory();

    @Test
    void operations_one_after_the_other() {
        history.read(RegisterHistory.INITIAL, 0, 1);
        history.wrote("a", 2, 3);
        history.read("a", 4, 5);
        history.wrote("b", 6, 7);
        history.read("b", 8, 9);
        assertThat(history.violations()).isEmpty();
    }

    @Test
    void concurrent_operations_in_either_order() {
        history.wrote("a", 0, 10);
        history.wrote("b", 0, 10);
        history.read("b", 1, 4);
        history.read("a", 5, 9);
        assertThat(history.violations()).isEmpty();
    }

    @Test
    void a_stale_read() {
        history.wrote("a", 0, 1);
        history.wrote("b", 2, 3);
        history.read("a", 4, 5);
        assertThat(history.violations()).hasSize(1);
    }

    @Test
    void a_value_that_comes_back() {
        history.wrote("a", 0, 10);
        history.wrote("b", 0, 10);
        history.read("a", 11, 12);
        history.read("b", 13, 14);
        history.read("a", 15, 16);
        assertThat(history.violations()).isNotEmpty();
    }

    @Test
    void a_lost_write() {
        history.wrote("a", 0, 1);
        history.read(RegisterHistory.INITIAL, 2, 3);
        assertThat(history.violations()).isNotEmpty();
    }

    @Test
    void a_read_before_its_write() {
        history.read("a", 0, 1);
        history.wrote("a", 2, 3);
        assertThat(history.violations()).hasSize(1);
    }

    @Test
    void a_write_of_unknown_outcome_may_take_place_late_or_never() {
        history.wrote("a", 0, Long.MAX_VALUE);
        history.wrote("never", 0, Long.MAX_VALUE);
        history.wrote("b", 2, 3);
        history.read("b", 4, 5);
        history.read("a", 6, 7);
        assertThat(history.violations()).isEmpty();
        history.read("b", 8, 9);
        assertThat(history.violations()).isNotEmpty();
    }
}
