package org.restheart.http.judged;

/// Whether all requests of a kind are allowed: Kleene's three values.
public enum Answer {
    ALWAYS,
    NEVER,
    /// Some requests of the kind may be allowed, others not.
    DEPENDS
}
