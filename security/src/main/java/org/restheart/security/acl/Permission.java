package org.restheart.security.acl;

import java.util.List;
import java.util.Optional;
import org.restheart.http.ProblemException;
import org.restheart.http.access.DataTarget;
import org.restheart.http.access.Demand;
import org.restheart.http.access.Grant;
import org.restheart.http.judged.Answer;
import org.restheart.http.judged.RuleAnswer;
import org.restheart.http.judged.RuleAnswer.Limits;
import org.restheart.security.predicate.Attempt;
import org.restheart.security.predicate.KindAttempt;
import org.restheart.security.predicate.Predicate;
import org.restheart.security.predicate.Unanswerable;

/// One rule: these roles are allowed requests that match the predicate, within the grant. Immutable.
///
/// @param place where it is written, for messages
/// @param priority absent for a rule that comes last
public record Permission(
        String place, List<String> roles, Optional<Double> priority, Predicate predicate, GrantTemplate grant) {

    /// The grant if the rule applies. A rule that cannot be evaluated does not apply.
    Optional<Grant> apply(Attempt attempt) {
        attempt.forget();
        return allowsDemands(attempt) && test(attempt) ? Optional.of(grant.bind(attempt)) : Optional.empty();
    }

    boolean test(Attempt attempt) {
        attempt.forget();
        try {
            return predicate.test(attempt);
        } catch (Unanswerable | ProblemException _) {
            return false;
        }
    }

    /// The result of the rule for all requests of a kind.
    RuleAnswer ask(KindAttempt attempt, String role) {
        var answer = attempt.kind().demands().stream().allMatch(this::allows) ? attempt.test(predicate) : Answer.NEVER;
        return new RuleAnswer(
                place,
                Optional.of(role),
                answer,
                grant.flags(),
                grant.hasVariables(),
                answer == Answer.NEVER ? Limits.NONE : KindAttempt.limits(predicate));
    }

    private boolean allowsDemands(Attempt attempt) {
        var target = attempt.request().attribute(DataTarget.KEY);
        if (target.isPresent()) {
            for (var demand : target.get().demands()) {
                if (!allows(demand)) {
                    return false;
                }
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
