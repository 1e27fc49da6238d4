package org.restheart.bson;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class JsonModeTest {
    @Test
    void names_are_read_in_any_case() {
        assertThat(JsonMode.of("relaxed")).contains(JsonMode.RELAXED);
        assertThat(JsonMode.of("Strict")).contains(JsonMode.STRICT);
        for (var mode : JsonMode.ofParameter()) {
            assertThat(JsonMode.of(mode.name())).contains(mode);
        }
    }

    @Test
    void unknown_names_mean_nothing() {
        assertThat(JsonMode.of("")).isEmpty();
        assertThat(JsonMode.of("json")).isEmpty();
    }
}
