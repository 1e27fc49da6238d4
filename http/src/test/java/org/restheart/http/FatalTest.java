package org.restheart.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
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
        private static volatile byte[] garbage = {};

        private Hungry() {}

        public static void main(String[] args) {
            Fatal.install();
            if (args[0].equals("recovering")) {
                recover();
            }
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

        /// Fills the heap again and again, and each time a collection empties it.
        private static void recover() {
            var runtime = Runtime.getRuntime();
            int fullest = 0;
            for (int round = 0; round < 15; round++) {
                for (long bytes = runtime.maxMemory() / 100 * 89; bytes > 0; bytes -= 1_016) {
                    HELD.add(new byte[1_000]);
                }
                fullest = (int)
                        Math.max(fullest, (runtime.totalMemory() - runtime.freeMemory()) * 8 / runtime.maxMemory());
                HELD.clear();
                for (int i = 0; i < 1_000; i++) {
                    garbage = new byte[100_000];
                }
            }
            System.out.println("eighths of the heap: " + fullest);
            System.exit(0);
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
        var process = start(parts[0], parts[1]);
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(3);
            assertThat(new String(process.getInputStream().readAllBytes())).contains("OutOfMemoryError");
        } finally {
            process.destroyForcibly();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-XX:+UseG1GC", "-XX:+UseSerialGC"})
    void a_full_heap_that_recovers_ends_nothing(String collector) throws Exception {
        var process = start("recovering", collector);
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            var output = new String(process.getInputStream().readAllBytes());
            assertThat(process.exitValue()).as(output).isZero();
            assertThat(output).contains("eighths of the heap: 7");
        } finally {
            process.destroyForcibly();
        }
    }

    private static Process start(String what, String collector) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        what.equals("recovering") ? "-Xmx256m" : "-Xmx32m",
                        collector,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Hungry.class.getName(),
                        what)
                .redirectErrorStream(true)
                .start();
    }
}
