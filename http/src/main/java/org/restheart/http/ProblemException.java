package org.restheart.http;

import org.jspecify.annotations.Nullable;

/// Carries a [Problem] to the error filter. No stack trace: it reports a refused request, not a failure of code.
public final class ProblemException extends RuntimeException {
    private final transient Problem problem;

    /// Of a problem without headers, hints or warnings; others have [Problem#raise()].
    public ProblemException(ProblemCode code, String message) {
        this(Problem.of(code, message), null);
    }

    ProblemException(Problem problem, @Nullable Throwable cause) {
        super(problem.message(), cause, false, false);
        this.problem = problem;
    }

    public Problem problem() {
        return problem;
    }
}
