package org.restheart.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A process without memory ends, whoever catches its errors.
class FatalTest {
    /// Holds more and more, and catches everything, as libraries do.
    static final class Hungry {
        private static final List<Object> HELD = new ArrayList<>();

        private Hungry() {}

        public static void main(String[] args) {
            Fatal.install();
            while (true) {
                try {
                    hold(args[0]);
                } catch (Throwable failure) {
                    if (args[0].equals("told")) {
                        Fatal.exitOn(new IllegalStateException(failure));
                    }
                }
            }
        }

        @SuppressWarnings("ThreadPriorityCheck") // so that others run
        private static void hold(String what) {
            switch (what) {
                case "small" -> HELD.add(new byte[100]);
                case "large" -> HELD.add(new byte[4 << 20]);
                default -> HELD.add(ByteBuffer.allocateDirect(4 << 20));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"small, -XX:+UseG1GC", "large, -XX:+UseG1GC", "small, -XX:+UseSerialGC", "told, -XX:+UseSerialGC"
            })
    void the_process_ends_also_without_a_flag_of_the_jvm(String how) throws Exception {
        var parts = how.split(", ");
        var process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx32m",
                        parts[1],
                        "-cp",
                        System.getProperty("java.class.path"),
                        Hungry.class.getName(),
                        parts[0])
                .redirectErrorStream(true)
                .start();
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(3);
            assertThat(new String(process.getInputStream().readAllBytes())).contains("OutOfMemoryError");
        } finally {
            process.destroyForcibly();
        }
    }
}
