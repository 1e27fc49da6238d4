package org.restheart.http.judged;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.restheart.http.access.Grant;

/// What one access rule says of all requests of a kind. Immutable.
///
/// @param place where the rule is written, for people
/// @param role for which of the account's roles it was asked; empty for a rule that is not about roles
/// @param grant what it says about data, as written: variables are not replaced
/// @param perCaller whether the grant has variables, so that it differs between callers or requests
/// @param limits what else every request that it allows must be like
public record RuleAnswer(
        String place, Optional<String> role, Answer answer, Grant grant, boolean perCaller, Limits limits) {

    /// What a rule demands of the unknown parts of requests. Absence means that nothing is known of it.
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

    /// The answer of a rule that is not about data.
    public static RuleAnswer of(String place, Answer answer) {
        return new RuleAnswer(place, Optional.empty(), answer, Grant.FULL, false, Limits.NONE);
    }
}
