package org.restheart.core.accounts;

import java.util.List;
import java.util.Optional;
import org.restheart.security.Authenticator;
import org.restheart.security.Authorizer;
import org.restheart.security.FailedAttempts;
import org.restheart.security.TokenManager;
import org.restheart.security.Vetoer;

/// What plugins add to the policy, each behind what the configuration has of its kind.
///
/// @param tokens in place of what the configuration has
public record AddedPolicy(
        List<Authenticator> authenticators,
        List<Vetoer> vetoers,
        List<Authorizer> authorizers,
        List<FailedAttempts> failedAttempts,
        Optional<TokenManager> tokens) {
    public AddedPolicy {
        authenticators = List.copyOf(authenticators);
        vetoers = List.copyOf(vetoers);
        authorizers = List.copyOf(authorizers);
        failedAttempts = List.copyOf(failedAttempts);
    }
}
