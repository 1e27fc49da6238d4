package org.restheart.mongo.parameter;

import static org.restheart.http.ProblemCode.PARAMETER_INVALID;

import java.util.Locale;
import org.restheart.http.Problem;
import org.restheart.http.Query;
import org.restheart.mongo.find.Positioning;

/// The `eager` parameter: whether deep pages may be found by bookmarks. `LINEAR` and `RANDOM`, which once told apart
/// how a client pages, mean the same: bookmarks serve both.
final class EagerParameter {
    private EagerParameter() {}

    /// @param configured for requests that do not say
    /// @throws org.restheart.http.ProblemException 400
    static Positioning parse(Query query, Positioning configured) {
        return query.first("eager")
                .map(value -> switch (value.toUpperCase(Locale.ROOT)) {
                    case "LINEAR", "RANDOM" -> eager(configured);
                    case "NONE" -> Positioning.NONE;
                    default ->
                        throw Problem.of(PARAMETER_INVALID, "illegal eager paramenter (must be LINEAR, RANDOM or NONE)")
                                .raise();
                })
                .orElse(configured);
    }

    private static Positioning eager(Positioning configured) {
        return switch (configured) {
            case NONE, BOOKMARKS -> Positioning.BOOKMARKS;
            case EXACT, EAGER -> Positioning.EAGER;
        };
    }
}
