package org.restheart.http.attribute;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AttributesTest {
    /// So that keys share bits.
    private static final int MANY = 200;

    @Test
    void of_more_keys_than_there_are_bits_each_has_its_own_value() {
        var keys = IntStream.range(0, MANY)
                .mapToObj(i -> Key.<Integer>named("key " + i))
                .toList();
        var attributes = Attributes.NONE;
        for (int i = 0; i < MANY; i += 2) {
            attributes = attributes.with(keys.get(i), i);
        }

        for (int i = 0; i < MANY; i++) {
            assertThat(attributes.get(keys.get(i))).isEqualTo(i % 2 == 0 ? Optional.of(i) : Optional.empty());
        }
        assertThat(attributes.with(keys.getFirst(), -1).get(keys.getFirst())).contains(-1);
    }
}
