package org.restheart.security;

import java.util.List;

/// The parts of a gateway's security, each list in the order in which it is asked.
public record Policy(
        List<Authenticator> authenticators,
        List<Vetoer> vetoers,
        List<Authorizer> authorizers,
        List<FailedAttempts> failedAttempts) {
    public Policy {
        authenticators = List.copyOf(authenticators);
        vetoers = List.copyOf(vetoers);
        authorizers = List.copyOf(authorizers);
        failedAttempts = List.copyOf(failedAttempts);
    }

    public static Policy of(List<Authenticator> authenticators, List<Vetoer> vetoers, List<Authorizer> authorizers) {
        return new Policy(authenticators, vetoers, authorizers, List.of());
    }

    /// The door of a route.
    ///
    /// @param secured whether somebody must allow the request; otherwise credentials are looked at but never
    ///     needed
    public SecurityFilter door(boolean secured) {
        return new SecurityFilter(this, secured);
    }
}
