package org.restheart.perftest.experiment;

import java.nio.file.Path;

/// What is on the class path.
final class Libraries {
    private Libraries() {}

    /// The file that a class comes from, which says its version, without its ending.
    static String nameOf(Class<?> type) {
        var file = Path.of(
                        type.getProtectionDomain().getCodeSource().getLocation().getPath())
                .getFileName();
        return String.valueOf(file).replaceAll("\\.jar$", "");
    }
}
