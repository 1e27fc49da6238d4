package org.restheart.mongo.schema;

import com.networknt.schema.Error;
import com.networknt.schema.ExecutionConfig;
import com.networknt.schema.ExecutionContext;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.ValidationLimitExceededException;
import java.util.List;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;

/// One evaluation of a schema, within bounds.
final class Evaluation {
    private static final long MAX_STEPS = 5_000_000;
    private static final int MAX_DEPTH = 300;

    private Evaluation() {}

    /// The violations of a document in JSON.
    ///
    /// @throws ProblemException 400 when it takes too long
    static List<Error> of(Schema schema, String json) {
        try {
            return Effort.within(() -> schema.validate(
                    new Counted(schema.createExecutionContext().getExecutionConfig(), Effort.current()),
                    json,
                    InputFormat.JSON));
        } catch (OutOfEffort | ValidationLimitExceededException | StackOverflowError _) {
            throw Problem.of(ProblemCode.CONTENT_INVALID, "it takes too long to check the content against its schema")
                    .raise();
        }
    }

    /// Counts each keyword that is applied as effort, so that a long evaluation lets other threads run.
    private static final class Counted extends ExecutionContext {
        /// The cost of applying a keyword, in addition to the cost of texts and patterns.
        private static final long STEPS = 20;

        private final Effort effort;

        Counted(ExecutionConfig config, Effort effort) {
            super(config);
            this.effort = effort;
            executionConfig(bounds -> bounds.maxEvaluationSteps(MAX_STEPS).maxEvaluationDepth(MAX_DEPTH));
        }

        @Override
        public void evaluationPathAddLast(String keyword) {
            effort.spend(STEPS);
            super.evaluationPathAddLast(keyword);
        }
    }
}
