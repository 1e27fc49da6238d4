package org.restheart.security;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.http.access.Grant;
import org.restheart.http.judged.RuleAnswer;
import org.restheart.security.predicate.KindAttempt;

/// Allows requests. The grant of the first authorizer that allows a request applies. Thread-safe.
///
/// The methods call [Request#requireThread()] before they wait for anything, and throw rather than guess: a
/// request that cannot be decided is not let in.
public interface Authorizer {
    /// Whether anonymous requests like this one are never allowed.
    boolean requiresAuthentication(Request request);

    /// @param account null for an anonymous request
    /// @return the grant; empty if this authorizer does not allow the request
    Optional<Grant> authorize(Request request, @Nullable Account account);

    /// What its rules say of all requests of a kind, in the order in which they are asked: of an authenticated caller
    /// as [#authorize] does, of an anonymous one as both methods do.
    ///
    /// @param example a request of the kind
    List<RuleAnswer> ask(Request example, KindAttempt attempt);
}
