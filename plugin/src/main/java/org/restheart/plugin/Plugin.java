package org.restheart.plugin;

import java.util.Set;

/// An extension of the gateway: a public class without constructor parameters, which a line in
/// `META-INF/services/org.restheart.plugin.Plugin` of its jar names. [#install] says in plain Java what it
/// adds.
///
/// Plugins are trusted code: they run in the gateway's process. They have no way past access rules by
/// accident, though: what they change of a request is judged like what a client sends, and what they decide
/// about an operation can only tighten what the rules allow.
public interface Plugin {
    /// Also the name of its block in the configuration: a letter, then letters, digits, `-` and `_`.
    String name();

    /// Whether it is on when its block does not have the key `enabled`.
    default boolean enabledByDefault() {
        return true;
    }

    /// The plugins whose objects it asks for ([Installation#find]), which are installed before it.
    default Set<String> after() {
        return Set.of();
    }

    /// Asks for its settings, and refuses what cannot be used, but begins nothing. Called by `--check` alone.
    default void check(Settings settings) {}

    /// Adds its parts. Called once, before the gateway accepts connections; may block.
    ///
    /// @throws Exception if it cannot work: the gateway then does not start, or goes on without it
    ///     (`core.plugins-on-error`)
    void install(Installation to) throws Exception;

    /// Called when the gateway accepts connections. A failure is logged.
    default void started() throws Exception {}

    /// Called at the stop, when no request is in it any more, and after the plugins that may have its objects. All
    /// plugins together have five seconds.
    default void close() throws Exception {}
}
