package org.restheart.mongo.resource;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.restheart.http.judged.RequestKind.Segment;

/// A parsed [Mount]: maps paths of the server to MongoDB's names and back. Immutable.
sealed interface MountBinding permits LiteralBinding, TemplateBinding {
    static MountBinding of(Mount mount) {
        return mount.isTemplate() ? new TemplateBinding(mount) : new LiteralBinding(mount);
    }

    /// Its specificity: the least number of segments of a matching path.
    int length();

    /// The values of the mount's variables, if the mount covers the path.
    ///
    /// @param host of the request, without the port
    Optional<Map<String, String>> match(List<String> segments, String host);

    /// The MongoDB names of a covered path: `[db, collection, id …]`.
    Optional<List<String>> tokens(List<String> segments, Map<String, String> variables);

    /// The path of these names, if the mount contains them.
    ///
    /// @param known values of variables; others are derived from `tokens` if possible
    Optional<List<String>> segments(List<String> tokens, Map<String, String> known);

    /// What paths of collections look like, with unknown segments in place of names; at least those that they may have.
    ///
    /// @param db of the collections; empty for all
    List<List<Segment>> collectionPaths(Optional<String> db);
}
