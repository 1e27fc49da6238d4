package org.restheart.mongo.schema;

import com.networknt.schema.Error;
import com.networknt.schema.ExecutionContext;
import com.networknt.schema.ValidationLimitExceededException;
import java.util.List;
import java.util.function.Supplier;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;

/// One evaluation of a schema, within bounds.
final class Evaluation {
    private static final long MAX_STEPS = 5_000_000;
    private static final int MAX_DEPTH = 300;

    private Evaluation() {}

    static void bound(ExecutionContext context) {
        context.executionConfig(config -> config.maxEvaluationSteps(MAX_STEPS).maxEvaluationDepth(MAX_DEPTH));
    }

    /// @throws ProblemException 400 when it takes too long
    static List<Error> of(Supplier<List<Error>> evaluation) {
        try {
            return Effort.within(evaluation);
        } catch (ValidationLimitExceededException | StackOverflowError _) {
            throw tooExpensive();
        }
    }

    static ProblemException tooExpensive() {
        return Problem.of(ProblemCode.CONTENT_INVALID, "it takes too long to check the content against its schema")
                .raise();
    }
}
