package org.restheart.security.predicate;

import java.util.List;

/// A condition on an [Attempt]. Immutable and thread-safe; evaluated from left to right, in Kleene's logic of three
/// values.
public sealed interface Predicate permits Predicate.Connective, RequestPredicate, ContentPredicate {
    /// @throws Unanswerable if it is neither true nor false of the attempt
    /// @throws org.restheart.http.ProblemException if required content does not parse
    boolean test(Attempt attempt);

    /// What follows from the truth of other predicates, or of none.
    sealed interface Connective extends Predicate {}

    record Constant(boolean value) implements Connective {
        @Override
        public boolean test(Attempt attempt) {
            return value;
        }
    }

    /// True of a path or query string if it is so of its usual spellings too, with which what the rule names is
    /// compared as it is written, and in the usual spelling.
    ///
    /// @param isUnusual whether it names something in another spelling
    record Not(Predicate of, boolean isUnusual) implements Connective {
        Not(Predicate of) {
            this(of, PathSpelling.isUnusual(of));
        }

        @Override
        public boolean test(Attempt attempt) {
            if (of.test(attempt)) {
                return false;
            }
            if (attempt.withUsualPath(isUnusual).anyMatch(of::test)
                    || attempt.withUsualQuery(isUnusual).anyMatch(of::test)) {
                throw new Unanswerable("another spelling");
            }
            return true;
        }
    }

    record All(List<Predicate> of) implements Connective {
        @Override
        public boolean test(Attempt attempt) {
            return all(of, attempt, true);
        }
    }

    record Any(List<Predicate> of) implements Connective {
        @Override
        public boolean test(Attempt attempt) {
            return !all(of, attempt, false);
        }
    }

    private static boolean all(List<Predicate> predicates, Attempt attempt, boolean wanted) {
        Unanswerable unanswered = null;
        for (var predicate : predicates) {
            try {
                if (predicate.test(attempt) != wanted) {
                    return false;
                }
            } catch (Unanswerable e) {
                unanswered = e;
            }
        }
        if (unanswered != null) {
            throw unanswered;
        }
        return true;
    }
}
