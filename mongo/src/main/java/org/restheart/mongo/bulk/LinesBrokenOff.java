package org.restheart.mongo.bulk;

import com.mongodb.MongoException;
import org.restheart.http.Problem;

/// MongoDB failed while lines were written.
final class LinesBrokenOff extends RuntimeException {
    private final transient Problem problem;
    private final transient LineBatch outcome;

    LinesBrokenOff(long first, long last, Problem problem, LineBatch outcome, MongoException cause) {
        super(cause);
        this.problem = problem;
        this.outcome = outcome;
        outcome.error(first, last, problem);
    }

    Problem problem() {
        return problem;
    }

    /// The results of the failed batch: the lines that were refused before, and all others as one error.
    LineBatch outcome() {
        return outcome;
    }
}
