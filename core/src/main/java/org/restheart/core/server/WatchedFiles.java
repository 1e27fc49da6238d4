package org.restheart.core.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;

/// Looks whether files have changed. Not told by the system, since what is mounted into a container is not.
/// Thread-safe;
/// close it to end its thread.
public final class WatchedFiles implements AutoCloseable {
    private static final Duration LOOK_EVERY = Duration.ofSeconds(5);

    private final BooleanSupplier change;
    private final Thread watcher;
    private List<Path> files;
    private List<String> seen;

    /// @param name of the thread
    /// @param change called when they have changed; if it returns false, it is called again at the next look
    public WatchedFiles(String name, List<Path> files, BooleanSupplier change) {
        this.change = change;
        this.files = files;
        this.seen = state(files);
        this.watcher = Thread.ofVirtual().name(name).start(this::watch);
    }

    /// Looks at other files, or the same, for changes from now on.
    synchronized void use(List<Path> others) {
        files = others;
        seen = state(others);
    }

    private void watch() {
        try {
            while (true) {
                Thread.sleep(LOOK_EVERY);
                look();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void look() {
        var state = state(files);
        if (!state.equals(seen) && change.getAsBoolean()) {
            seen = state;
        }
    }

    /// Changes with the content of the files, also where they are links to others.
    private static List<String> state(List<Path> files) {
        return files.stream()
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
        watcher.interrupt();
    }
}
