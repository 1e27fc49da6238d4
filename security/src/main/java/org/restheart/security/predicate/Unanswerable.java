package org.restheart.security.predicate;

/// A predicate that has no truth value for this request: its rule does not apply, even under `not`.
public final class Unanswerable extends RuntimeException {
    Unanswerable(String why) {
        super(why, null, false, false);
    }
}
