package org.restheart.security.predicate;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.restheart.http.Method;

/// Finds constant paths of predicates that probably match other requests than their author meant.
public final class PathWarnings {
    private PathWarnings() {}

    /// One sentence for each such path: with a scheme and a host, which no path of a request has, or ending with an
    /// asterisk, which stands for itself. The latter is what bulk writes name, so it is left alone in
    /// predicates that do not allow `GET`.
    ///
    /// @param unreachable says of the segments of a path why requests for it, or below it, do not exist or mean
    ///     something else
    public static List<String> of(Predicate predicate, Function<List<String>, Optional<String>> unreachable) {
        boolean reads = parts(predicate)
                .noneMatch(part -> part instanceof RequestPredicate.MethodIs is
                        && !is.methods().contains(Method.GET));
        var found = new ArrayList<String>();
        for (var pattern : parts(predicate).flatMap(PathWarnings::patterns).toList()) {
            var segments = pattern.segments();
            var text = "/" + String.join("/", segments);
            if (segments.isEmpty()) {
                continue;
            }
            if (segments.getFirst().equals("http:") || segments.getFirst().equals("https:")) {
                found.add("the predicate's path " + text.substring(1)
                        + " matches no request: paths begin with /, after the host");
            } else if (reads && segments.getLast().endsWith("*")) {
                found.add("the asterisk in the predicate's path " + text + " stands for itself, as in bulk writes;"
                        + " path-prefix('/"
                        + String.join("/", segments.subList(0, segments.size() - 1)) + "') covers what is below");
            } else {
                unreachable.apply(segments).ifPresent(why -> found.add("the predicate's path " + text + " " + why));
            }
        }
        return found;
    }

    private static Stream<Predicate> parts(Predicate predicate) {
        return switch (predicate) {
            case Predicate.All all -> all.of().stream().flatMap(PathWarnings::parts);
            case Predicate.Any any -> any.of().stream().flatMap(PathWarnings::parts);
            default -> Stream.of(predicate);
        };
    }

    private static Stream<PathPattern> patterns(Predicate predicate) {
        return predicate instanceof RequestPredicate.Path path ? path.constant().stream() : Stream.empty();
    }
}
