package org.restheart.graphql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.mongodb.MongoTimeoutException;
import graphql.execution.AbortExecutionException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.restheart.http.MemoryBudget;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.access.CallerScope;
import org.restheart.testkit.TestRequests;

class FieldErrorsTest {
    private static final Problem OVERLOADED = Problem.of(ProblemCode.OVERLOADED, "too much");

    private static ProblemCode codeOf(Throwable failure) {
        return ServedApp.FieldErrors.problem(new CompletionException(failure), Optional.of(OVERLOADED))
                .code();
    }

    /// The code of what is logged is [ProblemCode#INTERNAL].
    @Test
    void only_faults_of_the_program_are_unexpected() {
        assertThat(codeOf(new MongoTimeoutException("no server"))).isEqualTo(ProblemCode.DATABASE_UNAVAILABLE);
        assertThat(codeOf(new AbortExecutionException("cancelled"))).isEqualTo(ProblemCode.OVERLOADED);
        assertThat(codeOf(OVERLOADED.raise())).isEqualTo(ProblemCode.OVERLOADED);
        assertThat(codeOf(new IllegalStateException("a fault"))).isEqualTo(ProblemCode.INTERNAL);
    }

    /// A thousand fields without memory are no fault of the query.
    @Test
    @SuppressWarnings("NullAway") // it reads nothing
    void an_execution_ends_by_its_first_problem() {
        var memory = new ResultMemory(1 << 20, new MemoryBudget(100 << 20));
        try (var share = CallerScope.call(CallerScope.SERVER, memory::open)) {
            var execution = new Execution(
                    TestRequests.request(Method.POST, "/graphql/app"),
                    new QueryRunner.LevelLoads(null, share.lease()),
                    new GraphqlConfig.Answers(100, 1_000, 0, Duration.ZERO, 1 << 20, false, false),
                    _ -> null,
                    SubscriptionRoot.NONE,
                    share);
            execution.failed(OVERLOADED);
            assertThatCode(() -> execution.checkErrors(100_000)).isInstanceOf(ProblemException.class);
            assertThat(execution.fatal()).contains(OVERLOADED);
        }
    }
}
