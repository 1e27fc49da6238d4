package org.restheart.core.config;

import java.util.Optional;
import org.restheart.console.ConsoleConfig;

/// `console`.
final class ConsoleBinding {
    private ConsoleBinding() {}

    /// Empty when it is switched off.
    ///
    /// @param name of this instance
    /// @param loopback whether this machine alone can reach the server
    static Optional<ConsoleConfig> read(Block block, String name, boolean loopback) {
        if (!block.flag("enabled", loopback)) {
            return Optional.empty();
        }
        var pages = block.texts("pages", ConsoleConfig.PAGES);
        if (!ConsoleConfig.PAGES.containsAll(pages)) {
            block.refuse("pages", "must be some of " + ConsoleConfig.PAGES + " but was " + pages);
        }
        return Optional.of(new ConsoleConfig(
                block.uri("uri", "/_console"),
                block.optionalText("title").orElse(name),
                block.optionalText("banner").map(text -> new ConsoleConfig.Banner(text, color(block))),
                block.bool("read-only", false),
                pages.isEmpty() ? ConsoleConfig.PAGES : pages));
    }

    private static String color(Block block) {
        var color = block.text("banner-color", "red");
        if (!ConsoleConfig.COLORS.contains(color)) {
            block.refuse("banner-color", "must be one of " + ConsoleConfig.COLORS + " but was " + color);
        }
        return color;
    }
}
