package org.restheart.core.config;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/// Reads the texts of a configuration.
final class ConfigFile {
    private ConfigFile() {}

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
        try (var stream = ConfigFile.class.getResourceAsStream(name)) {
            if (stream == null) {
                throw new IllegalStateException("the jar has no " + name);
            }
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
