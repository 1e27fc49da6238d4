package org.restheart.http.judged;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonValue;
import org.restheart.data.Access;
import org.restheart.data.Privilege;
import org.restheart.http.Request;

/// How access rules decide about a request. Guards of single services, such as those of accounts and queries,
/// may refuse what rules allow. Immutable.
///
/// @param status of the answer to a request that is refused: 401, 403, 404, or what the service refuses it with
/// @param reason why no rule was asked; empty if rules decided
/// @param tried the rules in the order in which they were tried, up to the first that allows the request
public record AccessExplanation(int status, Optional<String> reason, List<Tried> tried) {
    public AccessExplanation {
        tried = List.copyOf(tried);
    }

    public Optional<Tried> deciding() {
        return tried.stream().filter(rule -> rule.grant().isPresent()).findFirst();
    }

    public boolean isAllowed() {
        return deciding().isPresent();
    }

    /// Explains how access rules decide about a request, without carrying it out.
    @FunctionalInterface
    public interface Explaining {
        /// @param asking after authentication, with the caller about whom is asked; on a thread that may block
        /// @throws org.restheart.http.ProblemException 503 when that cannot be decided now
        AccessExplanation explain(Request asking, JudgedRequest request);
    }

    /// One rule. Its texts are for those who may read access rules.
    ///
    /// @param role of the account for which it was tried
    /// @param missing flags that the request needs and the rule does not set
    /// @param failed the first part of its predicate that is not true of the request, as written
    /// @param grant present if the rule allows the request; with the values of variables
    public record Tried(
            String place,
            Optional<BsonValue> id,
            Optional<String> role,
            Optional<Double> priority,
            Set<Privilege> missing,
            Optional<String> failed,
            Optional<Access> grant) {

        /// The rule for credentials that do not have its role; unchanged if it does not allow the request anyway.
        public Tried refused(String why) {
            return grant.isEmpty()
                    ? this
                    : new Tried(place, id, role, priority, missing, Optional.of(why), Optional.empty());
        }

        /// A rule that is no permission.
        public static Tried of(String place, Optional<Access> grant) {
            return new Tried(
                    place, Optional.empty(), Optional.empty(), Optional.empty(), Set.of(), Optional.empty(), grant);
        }
    }
}
