package org.restheart.core.metrics;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.restheart.http.RequestPath;

/// A pattern of paths: `*` at its end stands for the rest, which may be empty, `{x}` for one segment.
/// Immutable.
record PathGroup(String text, List<String> segments, boolean open, List<String> parameters) {
    static PathGroup parse(String text) {
        var segments = new ArrayList<>(RequestPath.parse(text).segments());
        boolean open = !segments.isEmpty() && segments.getLast().equals("*");
        if (open) {
            segments.removeLast();
        }
        var parameters = segments.stream()
                .filter(PathGroup::isParameter)
                .map(segment -> segment.substring(1, segment.length() - 1))
                .toList();
        return new PathGroup(text, List.copyOf(segments), open, parameters);
    }

    private static boolean isParameter(String segment) {
        return segment.length() > 2 && segment.startsWith("{") && segment.endsWith("}");
    }

    /// The values of the parameters, in their order; null if the path does not match.
    @Nullable
    List<String> match(List<String> path) {
        if (path.size() < segments.size() || (path.size() > segments.size() && !open)) {
            return null;
        }
        List<String> values = parameters.isEmpty() ? List.of() : new ArrayList<>(parameters.size());
        for (int i = 0; i < segments.size(); i++) {
            if (isParameter(segments.get(i))) {
                values.add(path.get(i));
            } else if (!segments.get(i).equals(path.get(i))) {
                return null;
            }
        }
        return values;
    }
}
