package org.restheart.mongo.resource;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A [Mount] ready for use: leads from paths of the server to MongoDB's names and back. Immutable.
sealed interface MountBinding permits LiteralBinding, TemplateBinding {
    static MountBinding of(Mount mount) {
        return mount.isTemplate() ? new TemplateBinding(mount) : new LiteralBinding(mount);
    }

    /// How specific it is: the number of segments a path must have at least.
    int length();

    /// What the path says about the mount's variables, if the mount covers it.
    ///
    /// @param host what the client calls this server, without the port
    Optional<Map<String, String>> match(List<String> segments, String host);

    /// What a covered path means: `[db, collection, id …]`.
    Optional<List<String>> tokens(List<String> segments, Map<String, String> variables);

    /// The path that means this, if the mount shows it.
    ///
    /// @param known values that variables have already; the others are taken from `tokens` where that is
    ///     possible
    Optional<List<String>> segments(List<String> tokens, Map<String, String> known);
}
