package org.restheart.security;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.restheart.http.AuthorizationHeader;
import org.restheart.http.Problem;
import org.restheart.http.Request;

/// The parts of a gateway's security, each list in the order of evaluation.
///
/// @param before moves credentials to the headers that mechanisms read, for example from a cookie
/// @param clients determines the address under which callers without an account are counted
public record Policy(
        List<Authenticator> authenticators,
        List<Vetoer> vetoers,
        List<Authorizer> authorizers,
        List<FailedAttempts> failedAttempts,
        AmbientCredentials passwords,
        UnaryOperator<Request> before,
        ClientAddress clients,
        Optional<String> checks) {
    public Policy {
        authenticators = List.copyOf(authenticators);
        vetoers = List.copyOf(vetoers);
        authorizers = List.copyOf(authorizers);
        failedAttempts = List.copyOf(failedAttempts);
    }

    /// The names, in lower case, of the header fields with credentials, but for cookies.
    public Set<String> credentialHeaders() {
        return Stream.concat(
                        Stream.of("authorization"),
                        authenticators.stream().flatMap(mechanism -> mechanism.credentialHeaders().stream()))
                .map(name -> name.toLowerCase(Locale.ROOT))
                .collect(Collectors.toUnmodifiableSet());
    }

    /// The same with credentials in another place.
    public Policy with(UnaryOperator<Request> before) {
        return new Policy(authenticators, vetoers, authorizers, failedAttempts, passwords, before, clients, checks);
    }

    /// For a service that accepts the credentials of one mechanism only, as they are sent, and needs no permission.
    public Policy only(Authenticator mechanism) {
        return new Policy(
                List.of(mechanism),
                vetoers,
                List.of(),
                failedAttempts,
                passwords,
                UnaryOperator.identity(),
                clients,
                checks);
    }

    /// The answer to a request that needs an account, with the challenge of every mechanism.
    public Problem challenge(Request request) {
        return Challenges.unauthorized(authenticators, request, AuthorizationHeader.isIn(request.headers()));
    }

    /// The security filter of a route.
    ///
    /// @param secured whether an authorizer must allow the request; otherwise credentials are optional
    public SecurityFilter securityFilter(boolean secured) {
        return new SecurityFilter(this, secured);
    }
}
