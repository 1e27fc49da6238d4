package org.restheart.core.config;

import org.restheart.http.Problem;

/// `core.error-bodies`: which problems have a body in their response, and whether it says what the client can do.
public enum ErrorBodies {
    /// All problems that have a message.
    HELPFUL,
    /// Only those that had a body in earlier versions.
    MINIMAL;

    public boolean include(Problem problem) {
        return switch (problem.disclosure()) {
            case ALWAYS -> true;
            case UNLESS_MINIMAL -> this == HELPFUL;
            case NEVER -> false;
        };
    }

    /// The problem as far as its response shows it.
    public Problem shown(Problem problem) {
        return this == HELPFUL ? problem : problem.withoutHints();
    }
}
