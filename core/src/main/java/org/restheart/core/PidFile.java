package org.restheart.core;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A file with the process id, for scripts that stop the server. It is optional: if it cannot be written, or belongs to
/// another running process, a warning is logged.
record PidFile(Optional<Path> file) implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PidFile.class);

    /// `/var/run` if it can be written, else the folder for temporary files.
    static Path standardDirectory() {
        var run = Path.of("/var/run");
        return Files.isWritable(run) ? run : Path.of(System.getProperty("java.io.tmpdir", "."));
    }

    /// Writes the file.
    ///
    /// @param configuration the file the server was started with; servers with different ones have different PID
    ///     files
    static PidFile write(Path directory, Optional<Path> configuration) {
        var name = configuration
                .map(path -> Integer.toUnsignedString(
                        path.toAbsolutePath().normalize().hashCode()))
                .orElse("0");
        var file = directory.resolve("restheart-" + name + ".pid");
        try {
            if (isOfLivingProcess(file)) {
                LOG.warn("PID file {} belongs to another process, which is running; none is written", file);
                return new PidFile(Optional.empty());
            }
            Files.deleteIfExists(file);
            // Only a new file, so that a symbolic link created by another user is not followed.
            Files.writeString(file, ProcessHandle.current().pid() + "\n", StandardOpenOption.CREATE_NEW);
            return new PidFile(Optional.of(file));
        } catch (FileAlreadyExistsException e) {
            LOG.warn("PID file {} was written by another process just now; none is written", file);
        } catch (IOException e) {
            LOG.warn("PID file {} cannot be written: {}", file, e.getMessage());
        }
        return new PidFile(Optional.empty());
    }

    private static boolean isOfLivingProcess(Path file) throws IOException {
        if (!Files.exists(file)) {
            return false;
        }
        try {
            return ProcessHandle.of(Long.parseLong(Files.readString(file).strip()))
                    .isPresent();
        } catch (NumberFormatException e) {
            return false; // not written by a gateway, or truncated by a full disk
        }
    }

    @Override
    public void close() {
        file.ifPresent(path -> {
            try {
                Files.deleteIfExists(path);
            } catch (IOException e) {
                LOG.warn("PID file {} cannot be removed: {}", path, e.getMessage());
            }
        });
    }
}
