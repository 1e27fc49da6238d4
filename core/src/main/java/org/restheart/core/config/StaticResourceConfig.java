package org.restheart.core.config;

import java.nio.file.Files;
import java.util.List;
import java.util.Optional;

/// One member of `static-resources`.
///
/// @param what a directory, relative to the jar unless absolute; or, if `embedded`, a folder of the class path
/// @param where the path it is served below; begins with `/`
/// @param welcomeFile served for a directory
/// @param embedded whether it is in the server's jar
/// @param cacheControl the header of that name, if there is to be one
public record StaticResourceConfig(
        String what, String where, String welcomeFile, boolean embedded, Optional<String> cacheControl) {
    static List<StaticResourceConfig> read(List<Block> blocks) {
        return blocks.stream().map(StaticResourceConfig::read).toList();
    }

    private static StaticResourceConfig read(Block block) {
        var what = block.requiredText("what");
        boolean embedded = block.bool("embedded", false);
        if (embedded) {
            EmbeddedFolder.open(what)
                    .ifPresentOrElse(
                            EmbeddedFolder::close, () -> block.refuse("what", "names no folder in the jar: " + what));
        } else if (!what.isEmpty() && !Files.isDirectory(FileLocations.besideJar(what))) {
            block.refuse("what", "names no directory: " + FileLocations.besideJar(what));
        }
        return new StaticResourceConfig(
                what,
                block.requiredUri("where"),
                block.text("welcome-file", "index.html"),
                embedded,
                block.optionalText("cache-control"));
    }
}
