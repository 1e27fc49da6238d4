package org.restheart.core.config;

import java.net.URISyntaxException;
import java.nio.file.Path;

/// Where files are that the configuration names.
public final class FileLocations {
    private FileLocations() {}

    /// An absolute path as it is, another one relative to the jar's directory, as plugins and static resources are.
    public static Path besideJar(String name) {
        var path = Path.of(name);
        return path.isAbsolute() ? path : home().resolve(path).normalize();
    }

    private static Path home() {
        try {
            var source = FileLocations.class.getProtectionDomain().getCodeSource();
            var parent = source == null
                    ? null
                    : Path.of(source.getLocation().toURI()).getParent();
            return parent == null ? Path.of("").toAbsolutePath() : parent;
        } catch (URISyntaxException e) {
            return Path.of("").toAbsolutePath();
        }
    }
}
