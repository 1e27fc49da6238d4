package org.restheart.security.predicate;

import java.util.ArrayList;
import java.util.List;
import org.restheart.http.RequestPath;
import org.restheart.http.judged.Permitted.Decision;
import org.restheart.http.judged.RequestKind.Segment;

/// A URI template such as `/{tenant}/docs/*`: a variable takes one segment, a final `*` (or `{*}`) takes the
/// rest. One trailing slash more than the template has is accepted.
///
/// @param rest whether it ends with `*`
/// @param closed whether it ends with a slash, which the path then must too
record PathTemplate(List<Part> parts, boolean rest, boolean closed) {
    private static final Segment NOTHING = new Segment.Name("");

    sealed interface Part {
        record Name(String text) implements Part {}

        record Variable(String name) implements Part {}
    }

    /// @throws IllegalArgumentException saying what is wrong
    static PathTemplate parse(String text) {
        if (!text.startsWith("/")) {
            throw new IllegalArgumentException("a path template starts with /");
        }
        var parts = new ArrayList<Part>();
        var segments = text.substring(1).split("/", -1);
        int count = segments.length;
        boolean rest = segments[count - 1].equals("*") || segments[count - 1].equals("{*}");
        boolean closed = !rest && count > 1 && segments[count - 1].isEmpty();
        for (int i = 0; i < (rest || closed ? count - 1 : count); i++) {
            parts.add(part(segments[i]));
        }
        return new PathTemplate(List.copyOf(parts), rest, closed);
    }

    PathTemplate usual() {
        return new PathTemplate(
                parts.stream()
                        .map(part ->
                                part instanceof Part.Name(var text) ? new Part.Name(PathSpelling.segment(text)) : part)
                        .toList(),
                rest,
                closed);
    }

    private static Part part(String segment) {
        if (segment.startsWith("{") && segment.endsWith("}")) {
            var name = segment.substring(1, segment.length() - 1);
            if (!name.isEmpty() && name.chars().noneMatch(c -> c == '{' || c == '}' || c == '*')) {
                return new Part.Variable(name);
            }
        }
        if (segment.chars().anyMatch(c -> c == '{' || c == '}' || c == '*')) {
            throw new IllegalArgumentException("a variable of a path template is a whole segment, * comes last");
        }
        return new Part.Name(segment.replace("%2F", "/").replace("%2f", "/"));
    }

    /// Matches the path of the request; variables are bound to completely decoded segments, the names that
    /// handlers use.
    ///
    /// @throws Unanswerable for a path that differs from a matching one by surplus trailing slashes only: it
    ///     means the same resource, so that neither the rule nor its negation may apply
    boolean matches(RequestPath path, Attempt attempt) {
        var values = new ArrayList<>(path.segments());
        int slashes = trailingSlashes(path.decoded());
        for (int i = 0; i < Math.min(slashes, values.isEmpty() ? 2 : 1); i++) {
            values.add("");
        }
        boolean matches = matches(values, attempt);
        if (matches && !rest && slashes > values.size() - path.segments().size()) {
            throw new Unanswerable("surplus trailing slashes");
        }
        return matches;
    }

    boolean matches(String text, Attempt attempt) {
        return text.startsWith("/") && matches(List.of(text.substring(1).split("/", -1)), attempt);
    }

    /// Whether paths match; nothing is bound.
    ///
    /// @param values the segments, and an empty one for a slash at the end
    Decision matches(List<Segment> values) {
        int size = parts.size();
        if (!fits(values)) {
            return Decision.NEVER;
        }
        var answer = Decision.ALWAYS;
        for (int i = 0; i < size; i++) {
            if (parts.get(i) instanceof Part.Name(var text)) {
                switch (values.get(i).is(text)) {
                    case ALWAYS -> {}
                    case DEPENDS -> answer = Decision.DEPENDS;
                    case NEVER -> {
                        return Decision.NEVER;
                    }
                }
            }
        }
        return answer;
    }

    private static int trailingSlashes(String text) {
        int count = 0;
        while (count < text.length() && text.charAt(text.length() - 1 - count) == '/') {
            count++;
        }
        return count;
    }

    private boolean matches(List<String> values, Attempt attempt) {
        if (matches(values.stream().<Segment>map(Segment.Name::new).toList()) == Decision.NEVER) {
            return false;
        }
        int size = parts.size();
        for (int i = 0; i < size; i++) {
            if (parts.get(i) instanceof Part.Variable(var name)) {
                attempt.bind(name, values.get(i));
            }
        }
        if (rest) {
            attempt.bind("*", String.join("/", values.subList(size, values.size())));
        }
        return true;
    }

    private boolean fits(List<Segment> values) {
        if (rest) {
            return values.size() > parts.size();
        }
        boolean slash = values.size() == parts.size() + 1 && values.getLast().equals(NOTHING);
        return slash || (!closed && values.size() == parts.size());
    }
}
