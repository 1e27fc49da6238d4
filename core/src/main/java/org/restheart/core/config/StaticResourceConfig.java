package org.restheart.core.config;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.ProviderNotFoundException;
import java.util.List;
import java.util.Optional;
import org.restheart.core.config.Sources.GatewayCode;

/// One member of `static-resources`.
///
/// @param what a directory, relative to the jar unless absolute; or, if `embedded`, a folder of the class path
public record StaticResourceConfig(
        String what, String where, String welcomeFile, boolean embedded, Optional<String> cacheControl) {
    static List<StaticResourceConfig> read(List<Block> blocks) {
        return blocks.stream().map(StaticResourceConfig::read).toList();
    }

    private static StaticResourceConfig read(Block block) {
        var what = block.requiredText("what");
        boolean embedded = block.bool("embedded");
        if (embedded) {
            EmbeddedFolder.open(what)
                    .ifPresentOrElse(
                            EmbeddedFolder::close, () -> block.refuse("what", "names no folder in the jar: " + what));
        } else if (!what.isEmpty() && !Files.isDirectory(besideJar(what))) {
            block.refuse("what", "names no directory: " + besideJar(what));
        }
        return new StaticResourceConfig(
                what,
                block.requiredUri("where"),
                block.text("welcome-file"),
                embedded,
                block.optionalText("cache-control"));
    }

    public Path directory() {
        return besideJar(what);
    }

    /// An absolute path as it is, another one relative to the jar's directory, as plugins and static resources are.
    private static Path besideJar(String name) {
        return GatewayCode.location().resolveSibling(name).normalize();
    }

    /// A folder of the class path: in the server's jar, or, while it is developed, in a directory of classes.
    public static final class EmbeddedFolder implements AutoCloseable {
        private final Path directory;
        private final Optional<Closeable> jar;

        private EmbeddedFolder(Path directory, Optional<Closeable> jar) {
            this.directory = directory;
            this.jar = jar;
        }

        /// A path that is valid until this is closed.
        public Path directory() {
            return directory;
        }

        /// Opens the first folder of this name.
        ///
        /// @param folder such as `static/metrics`; slashes at its beginning do not count
        public static Optional<EmbeddedFolder> open(String folder) {
            var name = folder.replaceFirst("^/+", "");
            if (name.isEmpty() || List.of(name.split("/", -1)).contains("..")) {
                return Optional.empty();
            }
            for (var entry : System.getProperty("java.class.path", "").split(File.pathSeparator, -1)) {
                var found = entry.isEmpty() ? Optional.<EmbeddedFolder>empty() : in(Path.of(entry), name);
                if (found.isPresent()) {
                    return found;
                }
            }
            return Optional.empty();
        }

        private static Optional<EmbeddedFolder> in(Path entry, String name) {
            try {
                if (Files.isDirectory(entry)) {
                    var folder = entry.resolve(name);
                    return Files.isDirectory(folder)
                            ? Optional.of(new EmbeddedFolder(folder, Optional.empty()))
                            : Optional.empty();
                }
                return Files.isRegularFile(entry) ? inJar(entry, name) : Optional.empty();
            } catch (InvalidPathException _) { // no name of a file
                return Optional.empty();
            } catch (IOException e) {
                throw new UncheckedIOException("cannot read " + entry, e);
            }
        }

        private static Optional<EmbeddedFolder> inJar(Path jar, String name) throws IOException {
            FileSystem files;
            try {
                files = FileSystems.newFileSystem(jar);
            } catch (ProviderNotFoundException _) { // another file than a jar
                return Optional.empty();
            }
            var folder = files.getPath(name);
            if (Files.isDirectory(folder)) {
                return Optional.of(new EmbeddedFolder(folder, Optional.of(files)));
            }
            files.close();
            return Optional.empty();
        }

        @Override
        public void close() {
            jar.ifPresent(files -> {
                try {
                    files.close();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }
}
