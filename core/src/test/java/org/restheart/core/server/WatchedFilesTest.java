package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WatchedFilesTest {
    private static final Duration PAUSE = Duration.ofMillis(10);

    /// The files may have changed since they were read; a signal may have them read again at the same time.
    @Test
    void files_count_as_changed_at_first_and_are_free_for_others_meanwhile(@TempDir Path folder) throws Exception {
        var calls = new AtomicInteger();
        var used = new CompletableFuture<Boolean>();
        var self = new AtomicReference<WatchedFiles>();
        BooleanSupplier change = () -> {
            switch (calls.incrementAndGet()) {
                case 1 -> throw new IllegalStateException("is tried again");
                case 2 -> throw new NoClassDefFoundError("likewise");
                default -> {}
            }
            used.complete(CompletableFuture.runAsync(() -> self.get().markSeen())
                    .orTimeout(20, TimeUnit.SECONDS)
                    .handle((_, failure) -> failure == null)
                    .join());
            return true;
        };
        try (var watched = new WatchedFiles("test", () -> List.of(folder.resolve("file")), change, PAUSE)) {
            self.set(watched);
            watched.start();
            assertThat(used.get(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void files_that_cannot_be_named_are_asked_for_again(@TempDir Path folder) throws Exception {
        var calls = new AtomicInteger();
        var changed = new CompletableFuture<Boolean>();
        Supplier<List<Path>> files = () -> {
            switch (calls.incrementAndGet()) {
                case 1 -> throw new IllegalStateException("is tried again");
                case 2 -> throw new NoClassDefFoundError("likewise");
                default -> {}
            }
            return List.of(folder.resolve("file"));
        };
        try (var watched = new WatchedFiles("test", files, () -> changed.complete(true), PAUSE)) {
            watched.start();
            assertThat(changed.get(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void other_files_count_as_changed(@TempDir Path folder) throws Exception {
        var files = new AtomicReference<>(List.<Path>of());
        var changed = new CompletableFuture<List<Path>>();
        BooleanSupplier change = () -> changed.complete(files.get());
        try (var watched = new WatchedFiles("test", files::get, change, PAUSE)) {
            watched.start();
            files.set(List.of(folder.resolve("file")));
            assertThat(changed.get(60, TimeUnit.SECONDS)).isEqualTo(files.get());
        }
    }
}
