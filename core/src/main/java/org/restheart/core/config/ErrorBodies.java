package org.restheart.core.config;

import org.restheart.http.Problem;

/// `core.error-bodies`: which refusals have a body.
public enum ErrorBodies {
    /// All that have something to say.
    HELPFUL,
    /// Those that clients of earlier versions know.
    MINIMAL;

    public boolean tell(Problem problem) {
        return switch (problem.telling()) {
            case ALWAYS -> true;
            case HELPFULLY -> this == HELPFUL;
            case NEVER -> false;
        };
    }
}
