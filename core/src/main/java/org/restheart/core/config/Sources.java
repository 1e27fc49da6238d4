package org.restheart.core.config;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The sources of a configuration, in increasing precedence.
///
/// @param standalone takes the alternate built-in configuration, without MongoDB
/// @param file replaces the built-in configuration
/// @param overrides a file of overrides
/// @param inline overrides, as in the environment variable `RHO`
/// @param options what command line options set, by path
public record Sources(
        boolean standalone,
        Optional<Path> file,
        Optional<Path> overrides,
        Optional<String> inline,
        Map<String, Object> options) {

    private static final String ADMIN_PASSWORD = "RESTHEART_ADMIN_PASSWORD";

    /// Those of the environment that are read.
    public static final Set<String> VARIABLES =
            Set.of("RESTHEART_CONF_FILE", "RHO_FILE", "RHO", ADMIN_PASSWORD, ADMIN_PASSWORD + "_FILE");

    /// @throws ConfigException when a file with a password cannot be read
    public static Sources of(Map<String, String> environment) {
        var sources = new Sources(
                false,
                path(environment, "RESTHEART_CONF_FILE"),
                path(environment, "RHO_FILE"),
                Optional.ofNullable(environment.get("RHO")),
                Map.of());
        return Optional.ofNullable(environment.get(ADMIN_PASSWORD))
                .or(() -> path(environment, ADMIN_PASSWORD + "_FILE")
                        .map(file -> text(file).stripTrailing()))
                .filter(password -> !password.isEmpty())
                .map(password -> sources.with("/mongoRealmAuthenticator/create-user-password", password))
                .orElse(sources);
    }

    private static Optional<Path> path(Map<String, String> environment, String name) {
        return Optional.ofNullable(environment.get(name))
                .filter(value -> !value.isBlank())
                .map(Path::of);
    }

    /// Instead of a file that the environment names.
    public Sources withStandalone() {
        return new Sources(true, Optional.empty(), overrides, inline, options);
    }

    public Sources withFile(Path newFile) {
        return new Sources(standalone, Optional.of(newFile), overrides, inline, options);
    }

    public Sources withOverrides(Path newOverrides) {
        return new Sources(standalone, file, Optional.of(newOverrides), inline, options);
    }

    public Sources withMongo(String connectionString) {
        return with("/mclient/connection-string", connectionString);
    }

    public Sources withPort(int port) {
        return with("/http-listener/port", port);
    }

    private Sources with(String path, Object value) {
        var more = new LinkedHashMap<>(options);
        more.put(path, value);
        return new Sources(standalone, file, overrides, inline, more);
    }

    /// A file's text, in UTF-8.
    ///
    /// @throws ConfigException naming the file and the reason
    static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            throw ConfigException.of("Configuration file not found: " + file);
        } catch (CharacterCodingException e) {
            throw ConfigException.of("Configuration file is not UTF-8: " + file);
        } catch (IOException e) {
            throw ConfigException.of("Configuration file cannot be read: " + file + " (" + e.getMessage() + ")");
        }
    }

    /// A text in the program's jar.
    static String builtIn(String name) {
        try (var stream = Sources.class.getResourceAsStream(name)) {
            if (stream == null) {
                throw new IllegalStateException("the jar has no " + name);
            }
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
