package org.restheart.http.judged;

/// What can be said of all requests of a kind at once: Kleene's three values.
public enum Answer {
    ALWAYS,
    NEVER,
    /// Some requests of the kind may be allowed, others not.
    DEPENDS
}
