package org.restheart.core.config;

import java.util.List;

/// One member of `static-resources`.
///
/// @param what a directory, relative to the jar unless absolute; or, if `embedded`, a folder of the class path
/// @param where the path it is served below; begins with `/`
/// @param welcomeFile served for a directory
/// @param embedded whether it is in the server's jar
public record StaticResourceConfig(String what, String where, String welcomeFile, boolean embedded) {
    static List<StaticResourceConfig> read(List<Block> blocks) {
        return blocks.stream().map(StaticResourceConfig::read).toList();
    }

    private static StaticResourceConfig read(Block block) {
        return new StaticResourceConfig(
                block.requiredText("what"),
                block.requiredUri("where"),
                block.text("welcome-file", "index.html"),
                block.bool("embedded", false));
    }
}
