package org.restheart.openapi;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.restheart.http.Method;
import org.restheart.http.Request;
import org.restheart.http.judged.KindPermissions;
import org.restheart.http.judged.RequestKind;
import org.restheart.http.judged.RequestKind.Segment;
import org.restheart.http.judged.Via;
import org.restheart.mongo.description.Descriptions;

/// Whether rules may allow a caller anything, decided by the mounts and the rules alone: what is refused costs the same
/// whatever there is in MongoDB. At least what is allowed is possible. Thread-safe.
///
/// @param permissions asked without demands, which only refuse more
record PossibleAccess(Descriptions descriptions, KindPermissions permissions) {
    private static final List<Method> METHODS =
            List.of(Method.GET, Method.POST, Method.PUT, Method.PATCH, Method.DELETE);

    private static final Segment SESSIONS = new Segment.Name("_sessions");

    /// The most segments behind a collection, such as `/_indexes/{index}`.
    private static final int DEEPEST = 2;

    /// The most segments behind `/_sessions`.
    private static final int DEEPEST_SESSION = 3;

    /// Whether there may be anything, sessions included, that the caller may do.
    boolean anywhere(Request asking) {
        return mayDo(
                asking,
                Stream.concat(
                        below(Optional.empty(), 2),
                        IntStream.rangeClosed(0, DEEPEST_SESSION).mapToObj(more -> extended(List.of(SESSIONS), more))));
    }

    /// Whether there may be anything that the caller may do with a database or its collections.
    boolean in(Request asking, String db) {
        return mayDo(asking, below(Optional.of(db), 1));
    }

    /// The kinds of paths of collections, of what is below them, and of that in which they are.
    ///
    /// @param levels above collections
    private Stream<List<Segment>> below(Optional<String> db, int levels) {
        return descriptions.collectionPaths(db).stream()
                .flatMap(kind -> Stream.concat(
                        IntStream.rangeClosed(Math.max(0, kind.size() - levels), kind.size())
                                .mapToObj(size -> List.copyOf(kind.subList(0, size))),
                        IntStream.rangeClosed(1, DEEPEST).mapToObj(more -> extended(kind, more))));
    }

    private static List<Segment> extended(List<Segment> path, int more) {
        var longer = new ArrayList<>(path);
        for (int i = 0; i < more; i++) {
            longer.add(Segment.Unknown.ANY);
        }
        return List.copyOf(longer);
    }

    private boolean mayDo(Request asking, Stream<List<Segment>> paths) {
        return permissions.mayAllow(
                asking,
                paths.distinct()
                        .flatMap(path -> METHODS.stream()
                                .map(method -> new RequestKind(method, path, Set.of(), true, Via.REST))));
    }
}
