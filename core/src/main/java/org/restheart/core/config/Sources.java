package org.restheart.core.config;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.restheart.core.config.Finding.Level;
import org.restheart.core.config.Overrides.Assignment;
import org.restheart.core.config.Overrides.OverridePath;
import org.restheart.core.config.Overrides.RelaxedJson;
import org.restheart.http.Bundled;
import org.restheart.text.Nearest;

/// The sources of a configuration, in increasing precedence.
///
/// @param variables values of single keys from the environment, by the names of the variables
public record Sources(
        boolean standalone,
        Optional<Path> file,
        Optional<Path> overrides,
        Optional<String> inline,
        Map<String, String> variables,
        Map<String, Object> options) {

    /// Those of the environment that are read, beside those of keys.
    public static final Set<String> VARIABLES = Set.of("RESTHEART_CONF_FILE", "RHO_FILE", "RHO");

    public static Sources of(Map<String, String> environment) {
        return new Sources(
                false,
                path(environment, "RESTHEART_CONF_FILE"),
                path(environment, "RHO_FILE"),
                Optional.ofNullable(environment.get("RHO")),
                ofKeys(environment),
                Map.of());
    }

    private static Map<String, String> ofKeys(Map<String, String> environment) {
        var variables = new TreeMap<>(environment);
        variables
                .entrySet()
                .removeIf(each -> !isOfKey(each.getKey())
                        || (each.getKey().startsWith(Keys.ADMIN_PASSWORD)
                                && each.getValue().isEmpty()));
        return variables;
    }

    /// Whether an environment variable sets a key, or names a file with its value.
    public static boolean isOfKey(String variable) {
        return variable.startsWith("RESTHEART_") && Keys.variables().containsKey(variable);
    }

    /// The name of a variable that is spelt nearly like this one, if there is one. Others with the same beginning may
    /// be Kubernetes', which has some for each service, such as `RESTHEART_MONGO_PORT`.
    public static Optional<String> nearestVariable(String name) {
        return Stream.concat(VARIABLES.stream(), Keys.variables().keySet().stream())
                .filter(known -> Nearest.distance(name, known) <= 2)
                .min(Comparator.comparingInt(known -> Nearest.distance(name, known)));
    }

    /// What the variables of keys set, in the order of their names.
    List<Assignment> ofVariables(Reading reading) {
        var assignments = new ArrayList<Assignment>();
        variables.forEach((name, text) -> {
            var variable = Objects.requireNonNull(Keys.variables().get(name));
            try {
                var value = switch (variable.form()) {
                    case TEXT -> text;
                    case JSON -> RelaxedJson.relaxed(text, variable.path(), name, reading);
                    case FILE -> "${file:" + text + "}";
                };
                assignments.add(new Assignment(OverridePath.parse(variable.path()), value, name));
            } catch (ConfigException e) {
                reading.add(new Finding(Level.REFUSED, "", name + ": " + e.getMessage()));
            }
        });
        return assignments;
    }

    private static Optional<Path> path(Map<String, String> environment, String name) {
        return Optional.ofNullable(environment.get(name))
                .filter(value -> !value.isBlank())
                .map(Path::of);
    }

    /// Instead of a file that the environment names.
    public Sources withStandalone() {
        return new Sources(true, Optional.empty(), overrides, inline, variables, options);
    }

    public Sources withFile(Path newFile) {
        return new Sources(standalone, Optional.of(newFile), overrides, inline, variables, options);
    }

    public Sources withOverrides(Path newOverrides) {
        return new Sources(standalone, file, Optional.of(newOverrides), inline, variables, options);
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
        return new Sources(standalone, file, overrides, inline, variables, more);
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

    static String builtIn(String name) {
        return Bundled.text(Sources.class, name);
    }

    /// From where the gateway's classes come.
    static final class GatewayCode {
        private GatewayCode() {}

        /// The jar, or a folder of classes. The class loader says it: the protection domain of a class
        /// that comes from an AOT cache may have no location.
        static Path location() {
            var name = "/" + GatewayCode.class.getName().replace('.', '/') + ".class";
            var url =
                    Objects.requireNonNull(GatewayCode.class.getResource(name)).toString();
            var code = url.substring(0, url.length() - name.length());
            return Path.of(
                    URI.create(code.startsWith("jar:") ? code.substring("jar:".length(), code.length() - 1) : code));
        }
    }
}
