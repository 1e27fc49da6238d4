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
import org.restheart.mongo.schema.EvaluationBudget.BudgetExceededException;

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
            return EvaluationBudget.within(() -> schema.validate(
                    new Counted(schema.createExecutionContext().getExecutionConfig(), EvaluationBudget.current()),
                    json,
                    InputFormat.JSON));
        } catch (BudgetExceededException | ValidationLimitExceededException | StackOverflowError _) {
            throw Problem.of(ProblemCode.CONTENT_INVALID, "it takes too long to check the content against its schema")
                    .raise();
        }
    }

    /// Spends budget on each keyword that is applied, so that a long evaluation lets other threads run.
    private static final class Counted extends ExecutionContext {
        /// The cost of applying a keyword, in addition to the cost of texts and patterns.
        private static final long STEPS = 20;

        private final EvaluationBudget budget;

        Counted(ExecutionConfig config, EvaluationBudget budget) {
            super(config);
            this.budget = budget;
            executionConfig(bounds -> bounds.maxEvaluationSteps(MAX_STEPS).maxEvaluationDepth(MAX_DEPTH));
        }

        @Override
        public void evaluationPathAddLast(String keyword) {
            budget.spend(STEPS);
            super.evaluationPathAddLast(keyword);
        }
    }
}
