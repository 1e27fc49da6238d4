package org.restheart.rest.schema;

import com.networknt.schema.Error;
import com.networknt.schema.ExecutionConfig;
import com.networknt.schema.ExecutionContext;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaException;
import com.networknt.schema.ValidationLimitExceededException;
import com.networknt.schema.annotation.Annotation;
import com.networknt.schema.annotation.Annotations;
import com.networknt.schema.path.NodePath;
import java.util.AbstractList;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.TimeSlices;

/// What the evaluations of one request may still cost, however many documents, texts and patterns they are about, and
/// how many keywords are applied. Each document adds to it what documents of its size usually cost: a request may have
/// any number of them. Used by one thread at a time.
final class EvaluationBudget {
    /// A few seconds of a processor.
    private static final long MAX = 200_000_000;

    private static final long TURN = 1 << 20;

    private static final long MAX_STEPS = 5_000_000;
    private static final int MAX_DEPTH = 300;

    /// What documents usually cost, with room to spare.
    private static final long USUAL = 100_000;

    private static final long USUAL_OF_CHARACTER = 100;

    private static final ScopedValue<EvaluationBudget> CURRENT = ScopedValue.newInstance();

    private long left = MAX;
    private long untilTurn = TURN;

    /// @throws ProblemException 400 when it takes too long
    List<Error> violations(Schema schema, String json) {
        left = Math.min(MAX, Math.max(0, left) + USUAL + USUAL_OF_CHARACTER * json.length());
        try {
            return ScopedValue.where(CURRENT, this)
                    .call(() -> schema.validate(
                            new Counted(schema.createExecutionContext().getExecutionConfig(), this),
                            json,
                            InputFormat.JSON));
        } catch (BudgetExceededException | ValidationLimitExceededException | StackOverflowError _) {
            throw new ProblemException(
                    ProblemCode.CONTENT_INVALID, "it takes too long to check the content against its schema");
        }
    }

    /// The budget of the current evaluation; outside of an evaluation, a new one.
    static EvaluationBudget current() {
        return CURRENT.isBound() ? CURRENT.get() : new EvaluationBudget();
    }

    /// Takes steps of the work that is to be done.
    ///
    /// @throws BudgetExceededException beyond the bound
    void spend(long steps) {
        left -= steps;
        if (left < 0) {
            throw new BudgetExceededException();
        }
        untilTurn -= steps;
        if (untilTurn < 0) {
            untilTurn = TURN;
            TimeSlices.letOthersRun();
        }
    }

    /// Ends an evaluation that costs too much. The library logs other exceptions of patterns as errors, and clients
    /// could fill the log.
    static final class BudgetExceededException extends SchemaException {
        private static final long serialVersionUID = 1;

        BudgetExceededException() {
            super("too expensive");
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }

    /// Spends budget on each keyword that is applied, so that a long evaluation lets other threads run, and on each
    /// violation.
    private static final class Counted extends ExecutionContext {
        /// The cost of applying a keyword, in addition to the cost of its members, of texts and of patterns.
        private static final long STEPS = 20;

        private static final long STEPS_OF_ERROR = 300;

        /// The cost of looking up a name, for example.
        private static final long STEPS_OF_MEMBER = 4;

        /// Values that are compared at the cost of one member: they are found by their hash.
        private static final int HASHED = 16;

        private final EvaluationBudget budget;
        private final Annotations annotations;

        Counted(ExecutionConfig config, EvaluationBudget budget) {
            super(config);
            this.budget = budget;
            this.annotations = new CountedAnnotations(budget);
            executionConfig(bounds -> bounds.maxEvaluationSteps(MAX_STEPS).maxEvaluationDepth(MAX_DEPTH));
            setErrors(new ArrayList<>());
        }

        @Override
        public void evaluationPathAddLast(String keyword) {
            budget.spend(STEPS + STEPS_OF_MEMBER * members(keyword));
            super.evaluationPathAddLast(keyword);
        }

        /// The members of a keyword, such as the names of `required`: all of them are looked at for each value.
        private int members(String keyword) {
            var schema = getEvaluationSchema().peekLast();
            var members = schema == null ? null : schema.getSchemaNode().get(keyword);
            if (members == null) {
                return 0;
            }
            return keyword.equals("enum") ? members.size() / HASHED : members.size();
        }

        @Override
        public void addError(Error error) {
            budget.spend(STEPS_OF_ERROR);
            super.addError(error);
        }

        @Override
        public void setErrors(List<Error> errors) {
            super.setErrors(errors instanceof BoundedErrors ? errors : new BoundedErrors(errors));
        }

        @Override
        public Annotations getAnnotations() {
            return annotations;
        }
    }

    /// Keeps the first errors: a small document can have millions. Further ones are represented by the first, since
    /// the library counts them.
    private static final class BoundedErrors extends AbstractList<Error> {
        private static final int KEPT = 1_000;

        private final List<Error> errors;

        BoundedErrors(List<Error> errors) {
            this.errors = errors;
        }

        @Override
        public Error get(int index) {
            return errors.get(index);
        }

        @Override
        public int size() {
            return errors.size();
        }

        @Override
        public void add(int index, Error error) {
            errors.add(index, errors.size() < KEPT ? error : errors.getFirst());
        }

        @Override
        public Error set(int index, Error error) {
            return errors.set(index, error);
        }

        @Override
        public Error remove(int index) {
            return errors.remove(index);
        }

        @Override
        public void clear() {
            errors.clear();
        }
    }

    /// Spends budget on annotations, when they are made and when they are looked up: `unevaluatedProperties`,
    /// `unevaluatedItems` and each failed schema look at all annotations of a value.
    private static final class CountedAnnotations extends Annotations {
        private static final long STEPS = 100;

        private final EvaluationBudget budget;
        private final Map<NodePath, List<Annotation>> read;

        CountedAnnotations(EvaluationBudget budget) {
            this.budget = budget;
            this.read = new CountedLookups(super.asMap(), budget);
        }

        @Override
        public void put(Annotation annotation) {
            Object value = annotation.getValue();
            budget.spend(STEPS + STEPS * (value instanceof Collection<?> names ? names.size() : 0));
            super.put(annotation);
        }

        @Override
        public Map<NodePath, List<Annotation>> asMap() {
            return read;
        }
    }

    private static final class CountedLookups extends AbstractMap<NodePath, List<Annotation>> {
        private final Map<NodePath, List<Annotation>> all;
        private final EvaluationBudget budget;

        CountedLookups(Map<NodePath, List<Annotation>> all, EvaluationBudget budget) {
            this.all = all;
            this.budget = budget;
        }

        @Override
        public Set<Entry<NodePath, List<Annotation>>> entrySet() {
            return all.entrySet();
        }

        @Override
        public @Nullable List<Annotation> get(@Nullable Object path) {
            var found = all.get(path);
            if (found != null && !found.isEmpty()) { // the path of each is compared, segment by segment
                budget.spend(
                        2L * found.size() * found.getLast().getEvaluationPath().getNameCount());
            }
            return found;
        }

        @Override
        public List<Annotation> getOrDefault(@Nullable Object path, List<Annotation> fallback) {
            var found = get(path);
            return found == null ? fallback : found;
        }
    }
}
