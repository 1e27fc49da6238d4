package org.restheart.core.config;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.restheart.core.config.Sources.GatewayCode;

/// What `core` says about plugins, and the blocks of the configuration that are theirs.
///
/// @param onlyOverridden names of those that overrides alone have made, and that the existing product does not have
public record PluginsConfig(
        Optional<Path> directory,
        List<String> packages,
        boolean skipsFailed,
        Map<String, Map<String, @Nullable Object>> blocks,
        Set<String> onlyOverridden,
        Path folder) {

    static PluginsConfig read(Block root) {
        var core = root.block("core");
        var blocks = new LinkedHashMap<String, Map<String, @Nullable Object>>();
        var onlyOverridden = new HashSet<String>();
        root.toMap().forEach((name, value) -> {
            if (!isTaken(name) && value instanceof Map<?, ?> block) {
                blocks.put(name, Trees.block(block));
                if (root.isOnlyOverridden(name) && !Keys.ELSEWHERE.contains(name)) {
                    onlyOverridden.add(name);
                }
            }
        });
        return new PluginsConfig(
                core.isNull("plugins-directory")
                        ? Optional.empty()
                        : Optional.of(besideGateway(core.text("plugins-directory"))),
                core.texts("plugins-packages"),
                core.choice("plugins-on-error").equals("skip"),
                blocks,
                onlyOverridden,
                core.path(""));
    }

    private static Path besideGateway(String name) {
        var code = GatewayCode.location();
        return Files.isRegularFile(code) ? beside(code, name) : Path.of(name); // else it is run from classes
    }

    /// @param name relative to its folder, or to the one above where that is called `lib`
    static Path beside(Path jar, String name) {
        boolean isInLib = jar.resolveSibling("").endsWith("lib");
        return jar.resolveSibling(isInLib ? "../" : "").resolve(name).normalize();
    }

    /// Whether a block of this name is of the gateway's own.
    public static boolean isTaken(String name) {
        return Keys.ROOT.keys().containsKey(name);
    }

    public boolean mayExist() {
        return directory
                .map(Path::toFile)
                .map(File::list)
                .filter(files -> files.length > 0)
                .isPresent();
    }

    public PluginSettings settings(String plugin) {
        return new PluginSettings("/" + plugin, blocks.getOrDefault(plugin, Map.of()), folder);
    }

    /// Paths of values may be secret, whatever their keys are called.
    @Override
    public String toString() {
        return "PluginsConfig" + blocks.keySet();
    }
}
