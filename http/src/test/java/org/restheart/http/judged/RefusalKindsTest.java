package org.restheart.http.judged;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;

/// Services tell refusals by these, and not by what a text of a client could say.
class RefusalKindsTest {
    @Test
    void too_many_documents_are_told_from_other_refusals() {
        assertThat(JudgedRequests.isTooManyDocuments(JudgedRequests.tooManyDocuments(5)))
                .isTrue();
        assertThat(JudgedRequests.isTooManyDocuments(
                        Problem.of(ProblemCode.UNPROCESSABLE, "no, the result has more than")))
                .isFalse();
        assertThat(JudgedRequests.isTooManyDocuments(
                        Problem.of(ProblemCode.CONTENT_INVALID, JudgedRequests.TOO_MANY + "5 documents")))
                .isFalse();
    }

    @Test
    void a_missing_permission_is_told_from_other_refusals() {
        assertThat(JudgedRequests.isNotPermitted(JudgedRequests.NOT_PERMITTED)).isTrue();
        assertThat(JudgedRequests.isNotPermitted(Problem.of(ProblemCode.FORBIDDEN, "something else")))
                .isFalse();
    }

    @Test
    void a_failed_validation_is_told_from_other_refusals() {
        assertThat(DataWrite.isFailedValidation(Problem.of(ProblemCode.CONTENT_INVALID, Problem.FAILED_VALIDATION)))
                .isTrue();
        assertThat(DataWrite.isFailedValidation(
                        Problem.of(ProblemCode.CONTENT_INVALID, DataWrite.VIOLATES_SCHEMA + " 's': total is missing")))
                .isTrue();
        assertThat(DataWrite.isFailedValidation(Problem.of(ProblemCode.QUERY_INVALID, Problem.FAILED_VALIDATION)))
                .isFalse();
        assertThat(DataWrite.isFailedValidation(
                        Problem.of(ProblemCode.CONTENT_INVALID, "no: " + Problem.FAILED_VALIDATION)))
                .isFalse();
    }
}
