package org.restheart.security.predicate;

import java.util.Map;

/// A predicate that knows how its parts are written, to say why it is not true of a request.
public final class PredicateText {
    private final Predicate predicate;
    private final Map<Predicate, String> written;

    PredicateText(Predicate predicate, Map<Predicate, String> written) {
        this.predicate = predicate;
        this.written = written;
    }

    /// The first part that is not true, as written, of a predicate that is not true as a whole: of a conjunction the
    /// first such condition, of anything else the whole.
    public String failing(Attempt attempt) {
        attempt.forget();
        var part = predicate;
        while (part instanceof Predicate.All(var conditions)) {
            part = conditions.stream()
                    .filter(condition -> !attempt.holds(condition))
                    .findFirst()
                    .orElse(conditions.getLast());
        }
        return written.getOrDefault(part, "");
    }
}
