package org.restheart.http.judged;

import java.util.List;

/// Whether a caller may make requests of a kind. Immutable.
///
/// `NEVER` is sound: each such request is refused, with any spelling of its path. `ALWAYS` applies to requests
/// without a trailing slash. Vetoers, which check origins and earlier attempts, and guards that look at content,
/// parameters or stored documents may refuse more.
///
/// @param rules the evaluated rules, in their order, up to the first that decides for all requests of the kind
public record Permitted(Answer answer, List<RuleAnswer> rules) {
    /// By no rule.
    public static final Permitted NEVER = new Permitted(Answer.NEVER, List.of());

    public Permitted {
        rules = List.copyOf(rules);
    }

    public static Permitted by(List<RuleAnswer> rules) {
        boolean always = rules.stream().anyMatch(rule -> rule.answer() == Answer.ALWAYS);
        boolean never = rules.stream().allMatch(rule -> rule.answer() == Answer.NEVER);
        return new Permitted(always ? Answer.ALWAYS : never ? Answer.NEVER : Answer.DEPENDS, rules);
    }

    /// The rules that may decide about a request of the kind.
    public List<RuleAnswer> possible() {
        return rules.stream().filter(rule -> rule.answer() != Answer.NEVER).toList();
    }
}
