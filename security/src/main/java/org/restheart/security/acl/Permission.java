package org.restheart.security.acl;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.bson.BsonValue;
import org.restheart.data.Access;
import org.restheart.data.Privilege;
import org.restheart.http.ProblemException;
import org.restheart.http.access.DataTarget;
import org.restheart.http.judged.AccessExplanation.Tried;
import org.restheart.http.judged.Permitted.Decision;
import org.restheart.http.judged.Permitted.Limits;
import org.restheart.http.judged.Permitted.RuleDecision;
import org.restheart.security.predicate.Attempt;
import org.restheart.security.predicate.KindAttempt;
import org.restheart.security.predicate.Predicate;
import org.restheart.security.predicate.PredicateException;
import org.restheart.security.predicate.PredicateParser;

/// One rule: these roles are allowed requests that match the predicate, within the grant. Immutable.
///
/// @param priority absent for a rule that comes last
/// @param grant as written, with unresolved variables
public record Permission(
        Source source,
        List<String> roles,
        Optional<Double> priority,
        Predicate predicate,
        Access grant,
        boolean hasVariables) {

    /// How the rule is written.
    record Source(String place, Optional<BsonValue> id, String predicate) {}

    /// The grant if the rule applies. A rule that cannot be evaluated does not apply.
    Optional<Access> apply(Attempt attempt) {
        attempt.forget();
        return grant.allowed().containsAll(demands(attempt)) && test(attempt)
                ? Optional.of(bound(attempt))
                : Optional.empty();
    }

    /// @throws ProblemException if the content cannot be read now
    boolean test(Attempt attempt) {
        attempt.forget();
        return attempt.holds(predicate);
    }

    RuleDecision ask(KindAttempt attempt, String role) {
        var decision =
                attempt.kind().demands().stream().allMatch(grant::allows) ? attempt.test(predicate) : Decision.NEVER;
        return new RuleDecision(
                source.place(),
                Optional.of(role),
                decision,
                grant,
                decision == Decision.NEVER ? Limits.NONE : KindAttempt.limits(predicate));
    }

    Tried explain(Attempt attempt, String role) {
        var missing = missing(attempt);
        boolean applies = test(attempt);
        return new Tried(
                source.place(),
                source.id(),
                Optional.of(role),
                priority,
                missing,
                applies ? Optional.empty() : Optional.of(failing(attempt)),
                applies && missing.isEmpty() ? Optional.of(bound(attempt)) : Optional.empty());
    }

    /// What the request needs beyond a plain read or write, and the rule does not allow.
    Set<Privilege> missing(Attempt attempt) {
        return demands(attempt).stream()
                .filter(demand -> !grant.allows(demand))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private String failing(Attempt attempt) {
        try {
            return PredicateParser.parseWithText(source.predicate()).failing(attempt);
        } catch (PredicateException e) {
            throw new IllegalStateException("a predicate that was parsed before", e);
        }
    }

    private static Collection<Privilege> demands(Attempt attempt) {
        return attempt.request()
                .attribute(DataTarget.KEY)
                .map(DataTarget::demands)
                .orElse(Set.of());
    }

    private Access bound(Attempt attempt) {
        return hasVariables ? new FilterVariables(attempt, grant).bind() : grant;
    }
}
