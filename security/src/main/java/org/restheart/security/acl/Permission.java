package org.restheart.security.acl;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.bson.BsonValue;
import org.restheart.http.ProblemException;
import org.restheart.http.access.DataTarget;
import org.restheart.http.access.Demand;
import org.restheart.http.access.Grant;
import org.restheart.http.judged.AccessExplanation.Tried;
import org.restheart.http.judged.Answer;
import org.restheart.http.judged.RuleAnswer;
import org.restheart.http.judged.RuleAnswer.Limits;
import org.restheart.security.predicate.Attempt;
import org.restheart.security.predicate.KindAttempt;
import org.restheart.security.predicate.Predicate;
import org.restheart.security.predicate.PredicateException;
import org.restheart.security.predicate.PredicateParser;

/// One rule: these roles are allowed requests that match the predicate, within the grant. Immutable.
///
/// @param priority absent for a rule that comes last
public record Permission(
        Source source, List<String> roles, Optional<Double> priority, Predicate predicate, GrantTemplate grant) {

    /// How the rule is written.
    ///
    /// @param place where, for messages
    /// @param id of a stored permission
    /// @param predicate its text
    record Source(String place, Optional<BsonValue> id, String predicate) {}

    /// The grant if the rule applies. A rule that cannot be evaluated does not apply.
    Optional<Grant> apply(Attempt attempt) {
        attempt.forget();
        return allowsDemands(attempt) && test(attempt) ? Optional.of(grant.bind(attempt)) : Optional.empty();
    }

    /// @throws ProblemException if the content cannot be read now
    boolean test(Attempt attempt) {
        attempt.forget();
        return attempt.holds(predicate);
    }

    RuleAnswer ask(KindAttempt attempt, String role) {
        var answer = attempt.kind().demands().stream().allMatch(this::allows) ? attempt.test(predicate) : Answer.NEVER;
        return new RuleAnswer(
                source.place(),
                Optional.of(role),
                answer,
                grant.flags(),
                answer == Answer.NEVER ? Limits.NONE : KindAttempt.limits(predicate));
    }

    /// The result of the rule for a request, with the reason.
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
                applies && missing.isEmpty() ? Optional.of(grant.bind(attempt)) : Optional.empty());
    }

    /// What the request needs beyond a plain read or write, and the rule does not allow.
    Set<Demand> missing(Attempt attempt) {
        return demands(attempt).stream()
                .filter(demand -> !allows(demand))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private String failing(Attempt attempt) {
        try {
            return PredicateParser.parseWithText(source.predicate()).failing(attempt);
        } catch (PredicateException e) {
            throw new IllegalStateException("a predicate that was parsed before", e);
        }
    }

    private static Collection<Demand> demands(Attempt attempt) {
        return attempt.request()
                .attribute(DataTarget.KEY)
                .map(DataTarget::demands)
                .orElse(Set.of());
    }

    private boolean allowsDemands(Attempt attempt) {
        for (var demand : demands(attempt)) {
            if (!allows(demand)) {
                return false;
            }
        }
        return true;
    }

    private boolean allows(Demand demand) {
        return switch (demand) {
            case MANAGEMENT -> grant.flags().allowManagementRequests();
            case BULK_PATCH -> grant.flags().allowBulkPatch();
            case BULK_DELETE -> grant.flags().allowBulkDelete();
            case AD_HOC_AGGREGATION -> grant.flags().allowAdHocAggregations();
            case WRITE_MODE -> grant.flags().allowWriteMode();
        };
    }
}
