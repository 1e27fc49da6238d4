package org.restheart.plugin;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// A block of the configuration. A value that cannot be used is recorded with its key, and the default is
/// returned: the start then fails with all of them, and warns of keys that the plugin has not asked for.
public interface Settings {
    /// @param absent counts where the key is absent or null, as in the other methods
    String text(String key, String absent);

    Optional<String> text(String key);

    /// Within bounds, which both may be returned.
    int integer(String key, int absent, int min, int max);

    boolean bool(String key, boolean absent);

    /// Empty if it is absent.
    List<String> texts(String key);

    /// A file, whose name is relative to the folder of the configuration.
    Optional<Path> file(String key);

    /// A block in this one; empty if it is absent.
    Settings block(String key);

    /// Records that a value cannot be used.
    ///
    /// @param why continues the name of the key, such as `must be a URL`
    void refuse(String key, String why);
}
