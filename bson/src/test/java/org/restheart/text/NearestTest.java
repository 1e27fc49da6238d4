package org.restheart.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NearestTest {
    private static final List<String> KNOWN = List.of("a", "id", "pagesize", "sort", "filter");

    @ParameterizedTest
    @CsvSource(
            value = {
                "pageSize, pagesize",
                "page-size, pagesize",
                "sotr, sort",
                "fliter, filter",
                "if, id",
                "A, a",
                "z, -", // one letter is near no other
                "zz, -",
                "hint, -"
            },
            nullValues = "-")
    void the_nearest_name_differs_in_a_third_of_its_letters_at_most(String name, String nearest) {
        assertThat(Nearest.to(name, KNOWN).orElse(null)).isEqualTo(nearest);
    }

    @Test
    void a_long_name_costs_little() {
        var name = "a".repeat(1_000_000);
        assertThat(Nearest.to(name, KNOWN)).isEmpty();
    }
}
