package org.restheart.core.config;

/// A message about the configuration. Contains no secret.
///
/// @param path of the key, as in `/http-listener/port`; empty when it concerns the whole
/// @param text a sentence that continues the path
public record Finding(Level level, String path, String text) {
    public enum Level {
        /// The server does not start.
        REFUSED,
        /// A warning at start; refused by `--check`.
        SUSPECT,
        /// A warning that is always logged.
        ADVICE,
        /// For debugging.
        DETAIL
    }

    @Override
    public String toString() {
        return path.isEmpty() ? text : path + " " + text;
    }
}
