package org.restheart.http.module;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// A block of the configuration, whose keys are declared with their defaults and bounds. A bad value is recorded, and
/// the default is returned: the start then fails with all of them. Used while the server starts.
public interface ConfigBlock {
    ConfigBlock block(String key);

    /// A path of the server, which begins with `/`.
    String uri(String key);

    String text(String key);

    /// A text that has no default.
    Optional<String> optionalText(String key);

    /// A URL, without slashes at the end.
    Optional<String> url(String key);

    /// One of the values of the key, as they are declared.
    String choice(String key);

    /// A list of texts; one text alone is a list of one.
    List<String> texts(String key);

    boolean bool(String key);

    int integer(String key);

    /// @param absent counts where the key is absent or null
    int integer(String key, int absent);

    /// The default of a key that is an `int`.
    int defaultOf(String key);

    long longInteger(String key);

    Duration duration(String key);

    /// Whether the key is present with the value null.
    boolean isNull(String key);

    /// Records that a value cannot be used.
    ///
    /// @param text continues the name of the key, such as `must be a URL`
    void refuse(String key, String text);
}
