package org.restheart.core.config;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What `core` says about plugins, and the blocks of the configuration that are theirs.
///
/// @param directory of their jars, which need not exist; relative to the gateway's jar
/// @param packages that their classes are below; empty for any
/// @param skipsFailed whether the gateway starts without plugins that cannot work
/// @param blocks by name
/// @param folder of the configuration
public record PluginsConfig(
        Optional<String> directory,
        List<String> packages,
        boolean skipsFailed,
        Map<String, Map<String, @Nullable Object>> blocks,
        Path folder) {

    static PluginsConfig read(Block root) {
        var core = root.block("core");
        var blocks = new LinkedHashMap<String, Map<String, @Nullable Object>>();
        root.toMap().forEach((name, value) -> {
            if (!isTaken(name) && value instanceof Map<?, ?> block) {
                blocks.put(name, Trees.block(block));
            }
        });
        return new PluginsConfig(
                core.isNull("plugins-directory") ? Optional.empty() : Optional.of(core.text("plugins-directory")),
                core.texts("plugins-packages"),
                core.choice("plugins-on-error").equals("skip"),
                blocks,
                core.path(""));
    }

    /// Whether a block of this name is of the gateway's own.
    public static boolean isTaken(String name) {
        return Keys.ROOT.keys().containsKey(name);
    }

    /// The block of a plugin; empty if it is absent.
    public PluginSettings settings(String plugin) {
        return new PluginSettings("/" + plugin, blocks.getOrDefault(plugin, Map.of()), folder);
    }

    /// Paths of values may be secret, whatever their keys are called.
    @Override
    public String toString() {
        return "PluginsConfig" + blocks.keySet();
    }
}
