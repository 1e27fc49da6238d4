package org.restheart.http.judged;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.restheart.data.Access;

/// Whether a caller may make requests of a kind. Immutable.
///
/// `NEVER` is sound: each such request is refused, with any spelling of its path, unless a plugin allows it.
/// `ALWAYS` applies to requests without a trailing slash. Vetoers, which check origins and earlier attempts, and guards
/// that look at content, parameters or stored documents may refuse more.
///
/// @param rules the evaluated rules, in their order, up to the first that decides for all requests of the kind
public record Permitted(Decision decision, List<RuleDecision> rules) {
    public static final Permitted NEVER = new Permitted(Decision.NEVER, List.of());

    public Permitted {
        rules = List.copyOf(rules);
    }

    public static Permitted by(List<RuleDecision> rules) {
        boolean always = rules.stream().anyMatch(rule -> rule.decision() == Decision.ALWAYS);
        boolean never = rules.stream().allMatch(rule -> rule.decision() == Decision.NEVER);
        return new Permitted(always ? Decision.ALWAYS : never ? Decision.NEVER : Decision.DEPENDS, rules);
    }

    /// Whether requests of a kind are allowed, in three-valued logic.
    public enum Decision {
        ALWAYS,
        NEVER,
        /// Some requests of the kind may be allowed, others not.
        DEPENDS
    }

    /// The result of one access rule for all requests of a kind. Immutable.
    ///
    /// @param place where the rule is written, for messages
    /// @param role of the account for which it was evaluated; empty for a rule that is not about roles
    /// @param grant on data, as written, with unresolved variables
    /// @param limits further conditions of every request that it allows
    public record RuleDecision(String place, Optional<String> role, Decision decision, Access grant, Limits limits) {
        /// Of a rule that is not about data.
        public static RuleDecision of(String place, Decision decision) {
            return new RuleDecision(place, Optional.empty(), decision, new Access.Root(), Limits.NONE);
        }

        public RuleDecision with(Decision other) {
            return new RuleDecision(place, role, other, grant, limits);
        }
    }

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

    /// The rules that may decide about a request of the kind.
    public List<RuleDecision> possible() {
        return rules.stream().filter(rule -> rule.decision() != Decision.NEVER).toList();
    }
}
