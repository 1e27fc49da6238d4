package org.restheart.http;

/// Carries a [Problem] to the error filter. No stack trace: it says that a request was refused, not that code failed.
public final class ProblemException extends RuntimeException {
    private final transient Problem problem;

    ProblemException(Problem problem) {
        super(problem.message(), null, false, false);
        this.problem = problem;
    }

    public Problem problem() {
        return problem;
    }
}
