package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WatchedFilesTest {
    /// The files may have changed since they were read; a signal may have them read again at the same time.
    @Test
    void files_count_as_changed_at_first_and_are_free_for_others_meanwhile(@TempDir Path folder) throws Exception {
        var files = List.of(folder.resolve("file"));
        var calls = new AtomicInteger();
        var used = new CompletableFuture<Boolean>();
        var self = new AtomicReference<WatchedFiles>();
        try (var watched = new WatchedFiles("test", files, () -> {
            if (calls.incrementAndGet() == 1) {
                throw new IllegalStateException("is tried again");
            }
            used.complete(CompletableFuture.runAsync(() -> self.get().use(files))
                    .orTimeout(20, TimeUnit.SECONDS)
                    .handle((_, failure) -> failure == null)
                    .join());
            return true;
        })) {
            self.set(watched);
            watched.start();
            assertThat(used.get(60, TimeUnit.SECONDS)).isTrue();
        }
    }
}
