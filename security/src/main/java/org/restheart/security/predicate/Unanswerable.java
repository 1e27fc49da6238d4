package org.restheart.security.predicate;

/// A predicate that has no truth value for this request: it is neither true nor false of it, and nor is its
/// negation. A rule of which that is the outcome does not apply.
public final class Unanswerable extends RuntimeException {
    Unanswerable(String why) {
        super(why, null, false, false);
    }
}
