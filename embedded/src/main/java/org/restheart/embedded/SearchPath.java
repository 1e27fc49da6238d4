package org.restheart.embedded;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The directories in which the shell looks for commands. Immutable.
///
/// @param directories in the syntax of the PATH variable
record SearchPath(String directories) {

    static SearchPath ofEnvironment() {
        return new SearchPath(System.getenv().getOrDefault("PATH", ""));
    }

    /// The first executable file of that name.
    Optional<Path> find(String command) {
        return Stream.of(directories.split(Pattern.quote(File.pathSeparator)))
                .filter(directory -> !directory.isBlank())
                .flatMap(directory -> candidate(directory, command))
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .findFirst();
    }

    private static Stream<Path> candidate(String directory, String command) {
        try {
            return Stream.of(Path.of(directory, command));
        } catch (InvalidPathException _) {
            return Stream.empty(); // a shell skips such an entry too
        }
    }
}
