package org.restheart.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Assertions about the status of responses. A failure shows the content, which says what was wrong.
public final class Statuses {
    private Statuses() {}

    public static void assertStatus(int expected, HttpResponse<?> response) {
        assertThat(response.statusCode())
                .as(() -> response + ": " + text(response.body()))
                .isEqualTo(expected);
    }

    private static String text(@Nullable Object body) {
        return switch (body) {
            case String text -> text;
            case byte[] bytes -> new String(bytes, StandardCharsets.UTF_8);
            case null, default -> "";
        };
    }
}
