package org.restheart.http.judged;

/// Whether requests of a kind are allowed, in three-valued logic.
public enum Answer {
    ALWAYS,
    NEVER,
    /// Some requests of the kind may be allowed, others not.
    DEPENDS
}
