package org.restheart.http.judged;

import org.restheart.data.Executor.Found;
import org.restheart.data.Flow;
import org.restheart.data.Operation.Get;
import org.restheart.http.Request;

/// Carries out operations for the callers of ways in other than REST, by the same rules, guards and batches.
/// Thread-safe.
public interface DataOperations {
    /// What the predicates of permissions look at: what the request of the REST API that does the same would show them,
    /// with connection, headers and caller of the client's own. It is never carried out.
    ///
    /// @param outer the client's request, after authentication
    record Evidence(Request outer, JudgedRequest asked) {}

    /// Never blocks.
    ///
    /// @throws org.restheart.http.ProblemException for whatever the REST API refuses; the result fails with one.
    ///     [JudgedRequests#isNotPermitted] distinguishes what rules refuse
    /// @throws org.restheart.http.NeedsThread if rules or metadata have to be read first, on an I/O thread
    Flow<Found> get(Evidence evidence, Get get);
}
