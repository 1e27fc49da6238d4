package org.restheart.http.judged;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.restheart.http.access.Grant;

/// The result of one access rule for all requests of a kind. Immutable.
///
/// @param place where the rule is written, for messages
/// @param role of the account for which it was evaluated; empty for a rule that is not about roles
/// @param grant on data, as written, with unresolved variables
/// @param limits further conditions of every request that it allows
public record RuleAnswer(String place, Optional<String> role, Answer answer, Grant grant, Limits limits) {

    /// Conditions of a rule on the unknown parts of requests. Absent means unknown.
    ///
    /// @param onlyParameters no other query parameters are allowed
    /// @param noParameters these query parameters are not allowed
    /// @param onlyProperties the content may touch no other properties
    public record Limits(
            Optional<Set<String>> onlyParameters, Set<String> noParameters, Optional<List<String>> onlyProperties) {
        public static final Limits NONE = new Limits(Optional.empty(), Set.of(), Optional.empty());

        public boolean allowsParameter(String name) {
            return onlyParameters.map(only -> only.contains(name)).orElse(true) && !noParameters.contains(name);
        }
    }

    public RuleAnswer with(Answer other) {
        return new RuleAnswer(place, role, other, grant, limits);
    }

    /// The result of a rule that is not about data.
    public static RuleAnswer of(String place, Answer answer) {
        return new RuleAnswer(place, Optional.empty(), answer, Grant.FULL, Limits.NONE);
    }
}
