package org.restheart.security.predicate;

/// A predicate that has no truth value for this request: the rule it stands in does not apply, even under
/// `not`.
public final class Unanswerable extends RuntimeException {
    Unanswerable(String why) {
        super(why, null, false, false);
    }
}
