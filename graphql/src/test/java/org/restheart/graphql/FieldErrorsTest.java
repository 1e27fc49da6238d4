package org.restheart.graphql;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoTimeoutException;
import graphql.execution.AbortExecutionException;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;

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
}
