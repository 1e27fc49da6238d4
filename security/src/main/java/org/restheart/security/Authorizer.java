package org.restheart.security;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.restheart.data.Access;
import org.restheart.data.Privilege;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.http.judged.AccessExplanation.Tried;
import org.restheart.http.judged.Permitted.RuleDecision;
import org.restheart.security.predicate.KindAttempt;

/// Allows requests. The grant of the first authorizer that allows a request applies. Thread-safe.
///
/// The methods call [Request#requireThread()] before they block, and throw if they cannot decide: the request is
/// then refused.
public interface Authorizer {
    /// Whether anonymous requests like this one are never allowed.
    boolean requiresAuthentication(Request request);

    /// @param account null for an anonymous request
    /// @return the grant; empty if this authorizer does not allow the request; [Access.Denied] if no other may
    Optional<Access> authorize(Request request, @Nullable Account account);

    /// What the first rule that covers a refused request does not allow beyond it; empty if no rule covers it.
    ///
    /// @param account null for an anonymous request
    default Set<Privilege> lacking(Request request, @Nullable Account account) {
        return Set.of();
    }

    /// The results of its rules for all requests of a kind, in the order of evaluation: of an authenticated caller
    /// as in [#authorize], of an anonymous one as in both methods.
    List<RuleDecision> ask(Request example, KindAttempt attempt);

    /// Its name in explanations.
    default String place() {
        return getClass().getSimpleName();
    }

    /// The rules that are tried for a request, up to the first that allows it, as in both methods above. What a
    /// service allows by itself is no rule, unless it allows this.
    default List<Tried> explain(Request request, @Nullable Account account) {
        return account == null && requiresAuthentication(request)
                ? List.of()
                : authorize(request, account).map(grant -> Tried.of(place(), Optional.of(grant))).stream()
                        .toList();
    }
}
