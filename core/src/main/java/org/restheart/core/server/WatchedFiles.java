package org.restheart.core.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.restheart.http.Fatal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks whether files have changed. Not told by the system, since what is mounted into a container is not.
/// Thread-safe; close it to end its thread.
public final class WatchedFiles implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WatchedFiles.class);
    private static final Duration LOOK_EVERY = Duration.ofSeconds(5);

    private final Supplier<List<Path>> files;
    private final BooleanSupplier change;
    private final Duration pause;
    private final String name;
    private final ScheduledExecutorService watcher;
    private final AtomicReference<List<String>> seen = new AtomicReference<>(List.of());

    /// Looks from [#start] on, and takes the files for changed at first unless [#markSeen] was called: they may have
    /// changed since they were read.
    ///
    /// @param files asked for at each look; others are changed ones
    /// @param change called when they have changed; if it returns false, it is called again at the next look
    public WatchedFiles(String name, Supplier<List<Path>> files, BooleanSupplier change) {
        this(name, files, change, LOOK_EVERY);
    }

    WatchedFiles(String name, Supplier<List<Path>> files, BooleanSupplier change, Duration pause) {
        this.files = files;
        this.change = change;
        this.pause = pause;
        this.name = name;
        this.watcher = Executors.newSingleThreadScheduledExecutor(
                Thread.ofVirtual().name(name).factory());
    }

    public void start() {
        var _ = watcher.scheduleWithFixedDelay(this::look, pause.toMillis(), pause.toMillis(), TimeUnit.MILLISECONDS);
    }

    /// What is there now is no change.
    void markSeen() {
        seen.set(state());
    }

    private void look() {
        try {
            var before = seen.get();
            var state = state();
            if (!state.equals(before) && change.getAsBoolean()) {
                seen.compareAndSet(before, state); // unless marked meanwhile
            }
        } catch (RuntimeException | Error e) { // else nobody would hear of it, and no other change be noticed
            Fatal.exitOn(e);
            LOG.error("{}: a change of files cannot be taken over, and is tried again", name, e);
        }
    }

    /// Changes with the content of the files, also where they are links to others.
    private List<String> state() {
        return files.get().stream()
                .map(file -> {
                    try {
                        var attributes = Files.readAttributes(file, BasicFileAttributes.class);
                        return attributes.lastModifiedTime() + " " + attributes.size() + " " + attributes.fileKey();
                    } catch (IOException e) {
                        return e.toString();
                    }
                })
                .toList();
    }

    @Override
    public void close() {
        watcher.shutdownNow();
    }
}
