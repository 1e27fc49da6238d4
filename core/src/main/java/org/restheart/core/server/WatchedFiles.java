package org.restheart.core.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks whether files have changed. Not told by the system, since what is mounted into a container is not.
/// Thread-safe; close it to end its thread.
public final class WatchedFiles implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WatchedFiles.class);
    private static final Duration LOOK_EVERY = Duration.ofSeconds(5);

    private final BooleanSupplier change;
    private final Thread watcher;
    private List<Path> files;
    private List<String> seen = List.of();

    /// Looks from [#start] on, and takes the files for changed at first unless [#use] names them: they may have changed
    /// since they were read.
    ///
    /// @param name of the thread
    /// @param change called when they have changed; if it returns false, it is called again at the next look
    public WatchedFiles(String name, List<Path> files, BooleanSupplier change) {
        this.change = change;
        this.files = files;
        this.watcher = Thread.ofVirtual().name(name).unstarted(this::watch);
    }

    /// Once.
    public void start() {
        watcher.start();
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

    /// Holds no lock while the change is taken over, which may need others.
    private void look() {
        List<Path> looked;
        List<String> state;
        synchronized (this) {
            looked = files;
            state = state(looked);
            if (state.equals(seen)) {
                return;
            }
        }
        if (isTakenOver()) {
            synchronized (this) {
                if (files.equals(looked)) {
                    seen = state;
                }
            }
        }
    }

    private boolean isTakenOver() {
        try {
            return change.getAsBoolean();
        } catch (RuntimeException e) {
            LOG.error("{}: a change of files cannot be taken over, and is tried again", watcher.getName(), e);
            return false;
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
