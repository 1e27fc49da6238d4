package org.restheart.core.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/// A file system in memory (tmpfs) whose size can be reduced to what is stored: it is full then, without anything that
/// fills it. Needs Linux and root.
final class ResizableDisk implements AutoCloseable {
    private static final String SIZE = "8g";

    /// What may be stored between the look at the size and the change.
    private static final int GROWTH = 1 << 20;

    private final Path folder;

    private ResizableDisk(Path folder) {
        this.folder = folder;
    }

    static boolean isAvailable() {
        return System.getProperty("os.name").equals("Linux") && "root".equals(System.getProperty("user.name"));
    }

    /// @param folder is made
    static ResizableDisk at(Path folder) throws IOException {
        Files.createDirectory(folder);
        run("mount", "-t", "tmpfs", "-o", "size=" + SIZE, "tmpfs", folder.toString());
        return new ResizableDisk(folder);
    }

    /// From now on nothing can be written that needs more space.
    void fill() throws IOException {
        var store = Files.getFileStore(folder);
        Awaitility.await().ignoreExceptions().until(() -> {
            long stored = store.getTotalSpace() - store.getUnallocatedSpace();
            resize(Long.toString(stored + GROWTH));
            return true;
        });
    }

    void enlarge() throws IOException {
        resize(SIZE);
    }

    private void resize(String size) throws IOException {
        run("mount", "-o", "remount,size=" + size, folder.toString());
    }

    private static void run(String... command) throws IOException {
        var process = new ProcessBuilder(command).inheritIO().start();
        try {
            if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException("failed: " + String.join(" ", command));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        run("umount", "--lazy", folder.toString()); // whatever still looks at it
    }
}
