package org.restheart.mongo.parameter;

import static org.restheart.http.ProblemCode.PARAMETER_INVALID;

import java.util.Locale;
import org.restheart.http.Problem;
import org.restheart.http.Query;
import org.restheart.mongo.find.Shortcuts;
import org.restheart.mongo.find.Shortcuts.Ahead;
import org.restheart.mongo.find.Shortcuts.Positioning;

/// The `eager` parameter: whether deep pages may be found by bookmarks or by cursors that were positioned ahead.
/// `LINEAR` and `RANDOM` determine where cursors are positioned; bookmarks serve both.
final class EagerParameter {
    private EagerParameter() {}

    /// @param configured the default
    /// @param cached the value of `cache`
    /// @throws org.restheart.http.ProblemException 400
    static Shortcuts parse(Query query, Positioning configured, boolean cached) {
        return query.first("eager")
                .map(value -> switch (value.toUpperCase(Locale.ROOT)) {
                    case "LINEAR" -> new Shortcuts(eager(configured), Ahead.LINEAR, cached);
                    case "RANDOM" -> new Shortcuts(eager(configured), Ahead.RANDOM, cached);
                    case "NONE" -> new Shortcuts(Positioning.NONE, cached);
                    default ->
                        throw Problem.of(PARAMETER_INVALID, "illegal eager paramenter (must be LINEAR, RANDOM or NONE)")
                                .raise();
                })
                .orElseGet(() ->
                        new Shortcuts(configured, configured == Positioning.EAGER ? Ahead.LINEAR : Ahead.NONE, cached));
    }

    private static Positioning eager(Positioning configured) {
        return switch (configured) {
            case NONE, BOOKMARKS -> Positioning.BOOKMARKS;
            case EXACT, EAGER -> Positioning.EAGER;
        };
    }
}
