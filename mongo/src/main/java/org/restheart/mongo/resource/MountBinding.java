package org.restheart.mongo.resource;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.restheart.http.RequestPath;
import org.restheart.http.judged.RequestKind.Segment;

/// A parsed [Mount]: maps paths of the server to MongoDB's names and back. Immutable.
sealed interface MountBinding permits MountBinding.LiteralBinding, TemplateBinding {
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

    /// A mount without variables: one prefix in place of another.
    record LiteralBinding(List<String> where, List<String> what) implements MountBinding {

        LiteralBinding(Mount mount) {
            this(mount.whereSegments(), mount.whatSegments());
        }

        @Override
        public int length() {
            return where.size();
        }

        @Override
        public Optional<Map<String, String>> match(List<String> segments, String host) {
            return RequestPath.startsWith(segments, where) ? Optional.of(Map.of()) : Optional.empty();
        }

        @Override
        public Optional<List<String>> tokens(List<String> segments, Map<String, String> variables) {
            return Optional.of(replace(segments, where, what));
        }

        @Override
        public Optional<List<String>> segments(List<String> tokens, Map<String, String> known) {
            return RequestPath.startsWith(tokens, what) ? Optional.of(replace(tokens, what, where)) : Optional.empty();
        }

        @Override
        public List<List<Segment>> collectionPaths(Optional<String> db) {
            if (what.size() > 2
                    || (!what.isEmpty() && !db.orElse(what.getFirst()).equals(what.getFirst()))) {
                return List.of();
            }
            var kind = new ArrayList<Segment>();
            where.forEach(name -> kind.add(new Segment.Name(name)));
            if (what.isEmpty()) {
                kind.add(db.<Segment>map(Segment.Name::new).orElse(Segment.Unknown.ANY));
            }
            if (what.size() < 2) {
                kind.add(Segment.Unknown.ANY);
            }
            return List.of(List.copyOf(kind));
        }

        private static List<String> replace(List<String> path, List<String> prefix, List<String> by) {
            var replaced = new ArrayList<>(by);
            replaced.addAll(path.subList(prefix.size(), path.size()));
            return replaced;
        }
    }
}
