package org.restheart.http.judged;

import java.util.Optional;
import java.util.function.Supplier;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.judged.JudgedRequest.Answer;
import org.restheart.http.judged.JudgedRequest.DataFacts;

/// Runs requests inside the process, for services that translate their operations into requests of the REST API. Such
/// a request is authorized for the account that sent the outer one, by the same rules, and answered by the same
/// handlers, batch queues and caches included. Thread-safe.
public interface JudgedRequests {
    /// No authorizer allows the request to this caller, or there is no such resource for judged requests.
    Problem NOT_PERMITTED = Problem.of(ProblemCode.FORBIDDEN);

    String TOO_MANY = "the result has more than ";

    /// Runs the request on this thread, or on another one if it has to wait and this thread must not.
    ///
    /// @param outer the client's request, after authentication
    /// @return without headers of connection, CORS or compression, which belong to the outer response
    /// @throws ProblemException for whatever the REST API refuses or fails at; a deferred response fails with one.
    ///     [#isNotPermitted] distinguishes [#NOT_PERMITTED] from other refusals
    Response make(Request outer, JudgedRequest inner);

    /// The facts about a request, which is authorized and checked but not carried out. As [#make] in all else.
    default Optional<DataFacts> facts(Request outer, JudgedRequest inner) {
        return make(outer, inner.with(new Answer.Facts())).settled().said(DataFacts.class);
    }

    /// Whether rules may allow the caller of the outer request some request of the kind, as [KindPermissions] tells.
    default boolean mayAllow(Request outer, RequestKind kind) {
        return true;
    }

    /// What requests result in; empty if one is refused. Failures of the server are passed on.
    static <T> Optional<T> unlessRefused(Supplier<Optional<T>> requests) {
        try {
            return requests.get();
        } catch (ProblemException e) {
            if (e.problem().status() >= 500) {
                throw e;
            }
            return Optional.empty();
        }
    }

    /// The refusal of a result that has more documents than [JudgedRequest.Slice#refused] allows.
    static Problem tooManyDocuments(int most) {
        return Problem.of(ProblemCode.UNPROCESSABLE, TOO_MANY + most + " documents: ask for less");
    }

    static boolean isTooManyDocuments(Problem problem) {
        return problem.code() == ProblemCode.UNPROCESSABLE && problem.message().startsWith(TOO_MANY);
    }

    static boolean isNotPermitted(Problem problem) {
        return problem.equals(NOT_PERMITTED);
    }
}
