package org.restheart.core.config;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.restheart.core.config.Finding.Level;

/// Reports enabled components that this release does not have. A component is removed from the list by the commit that
/// adds it.
final class Unavailable {
    private static final List<String> COMPONENTS =
            List.of("accountsConfig", "oauthConfig", "emails", "createIndexesOnGqlApps", "ajp-listener");

    private Unavailable() {}

    /// Reports enabled components: as a detail for the built-in configuration, which lists planned ones.
    static void report(Map<String, @Nullable Object> tree, boolean custom, Reading reading) {
        var level = custom ? Level.ADVICE : Level.DETAIL;
        COMPONENTS.stream()
                .filter(name -> tree.get(name) instanceof Map<?, ?> block && Boolean.TRUE.equals(block.get("enabled")))
                .forEach(name ->
                        reading.add(new Finding(level, "/" + name, "is enabled, but this release does not have it")));
        for (var list : List.of("proxies", "static-resources")) {
            if (tree.get(list) instanceof List<?> members && !members.isEmpty()) {
                reading.add(new Finding(Level.ADVICE, "/" + list, "are set, but this release does not have them"));
            }
        }
    }
}
