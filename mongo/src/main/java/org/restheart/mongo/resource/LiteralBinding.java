package org.restheart.mongo.resource;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

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
        return startsWith(segments, where) ? Optional.of(Map.of()) : Optional.empty();
    }

    @Override
    public Optional<List<String>> tokens(List<String> segments, Map<String, String> variables) {
        return Optional.of(replace(segments, where, what));
    }

    @Override
    public Optional<List<String>> segments(List<String> tokens, Map<String, String> known) {
        return startsWith(tokens, what) ? Optional.of(replace(tokens, what, where)) : Optional.empty();
    }

    private static boolean startsWith(List<String> path, List<String> prefix) {
        return path.size() >= prefix.size() && path.subList(0, prefix.size()).equals(prefix);
    }

    private static List<String> replace(List<String> path, List<String> prefix, List<String> by) {
        var replaced = new ArrayList<>(by);
        replaced.addAll(path.subList(prefix.size(), path.size()));
        return replaced;
    }
}
