package org.restheart.plugin;

import java.time.Duration;
import java.util.function.Supplier;

/// What a plugin counts and measures itself, which `/metrics/plugins` shows with the label `plugin`. Thread-safe.
///
/// A name consists of small letters, digits and `_`, and always has the same labels, which are pairs of a name and a
/// value. After 1000 sets of values further ones are counted as `_other`.
public interface Meters {
    /// Adds one to `NAME_total`.
    void count(String name, String... labels);

    /// Adds to the summary `NAME_seconds`.
    void time(String name, Duration time, String... labels);

    /// Shows a number, which is asked for at each scrape, and must not block.
    void gauge(String name, Supplier<Number> value, String... labels);
}
