package org.restheart.mongo.resource;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.restheart.http.Connection;
import org.restheart.http.RequestPath;

/// All mounts of the data API; the longest matching one wins. Immutable.
public final class Mounts {
    private final List<String> prefix;
    private final List<Mount> longestFirst;
    private final boolean coverRoot;

    /// @param uri the path the data API is bound to, in front of every mount
    /// @throws IllegalArgumentException if templates and literal paths are mixed
    public Mounts(String uri, List<Mount> mounts) {
        if (mounts.stream().map(Mount::isTemplate).distinct().count() > 1) {
            throw new IllegalArgumentException("mongo-mounts: either all or none may have {variables} in where");
        }
        this.prefix = new Mount("*", uri).whereSegments();
        this.longestFirst = mounts.stream()
                .sorted(Comparator.comparingInt((Mount m) -> m.whereSegments().size())
                        .reversed())
                .toList();
        this.coverRoot = prefix.isEmpty()
                && mounts.stream().anyMatch(m -> m.whereSegments().isEmpty());
    }

    /// The resource a path means, or empty if no mount covers it.
    public Optional<ResourcePath> resolve(RequestPath path, Connection connection) {
        var segments = path.segments();
        if (coverRoot && ResourcePath.isSessions(segments)) {
            return Optional.of(ResourcePath.parse(segments));
        }
        if (segments.size() < prefix.size()
                || !segments.subList(0, prefix.size()).equals(prefix)) {
            return Optional.empty();
        }
        var below = segments.subList(prefix.size(), segments.size());
        var host = hostOf(connection.hostAndPort());
        for (var mount : longestFirst) {
            var tokens = mount.resolve(below, host);
            if (tokens.isPresent()) {
                return tokens.filter(t -> t.isEmpty() || !ResourcePath.isSessions(t))
                        .map(ResourcePath::parse);
            }
        }
        return Optional.empty();
    }

    /// The path under which clients reach a database or collection (`[db]`, `[db, collection]`, `[]` for the root), if
    /// any mount shows it. Not percent-encoded, starts with `/`, no slash at the end but for the root.
    public Optional<String> pathOf(List<String> tokens) {
        for (var mount : longestFirst) {
            var path = mount.pathOf(tokens);
            if (path.isPresent()) {
                var whole = new java.util.ArrayList<>(prefix);
                whole.addAll(path.get());
                return Optional.of("/" + String.join("/", whole));
            }
        }
        return Optional.empty();
    }

    private static String hostOf(String hostAndPort) {
        if (hostAndPort.startsWith("[")) {
            int end = hostAndPort.indexOf(']');
            return end < 0 ? hostAndPort : hostAndPort.substring(0, end + 1);
        }
        int colon = hostAndPort.indexOf(':');
        return colon < 0 ? hostAndPort : hostAndPort.substring(0, colon);
    }
}
