package org.restheart.security;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import org.restheart.http.AuthorizationHeader;
import org.restheart.http.Headers;
import org.restheart.http.Request;
import org.restheart.http.access.Account;

/// Authenticates the requests of one route by its mechanisms, and authenticates them again while their
/// responses stay open. Thread-safe.
record RequestAuthentication(Policy policy) {
    /// The rule for the credentials of a request. A script has set those in a header field that only one
    /// mechanism reads, and needs a preflight for that.
    AmbientCredentials ambient(Request sent, Request located) {
        var known = located.attribute(AmbientCredentials.KEY);
        if (known.isPresent()) {
            return known.get();
        }
        return AmbientCredentials.isPassword(sent) && !isInOwnField(sent)
                ? policy.passwords()
                : AmbientCredentials.NONE;
    }

    /// Credentials that were not accepted before are checked on a thread that may block, where each attempt
    /// is counted.
    Authentication attempt(Request request) {
        if (!request.mayBlock() || !hasCredentials(request)) {
            var outcome = authenticate(request);
            if (outcome.rejected()) {
                request.requireThread();
            }
            return outcome.authentication();
        }
        var begun = new ArrayList<FailedAttempts>();
        boolean rejected = false;
        try {
            for (var attempts : policy.failedAttempts()) {
                attempts.begin(request);
                begun.add(attempts);
            }
            var outcome = authenticate(request);
            rejected = outcome.rejected();
            return outcome.authentication();
        } finally {
            for (var attempts : begun) {
                attempts.end(request, rejected);
            }
        }
    }

    boolean hasCredentials(Request request) {
        return AuthorizationHeader.isIn(request.headers()) || isInOwnField(request);
    }

    /// Whether credentials are in a field that only one mechanism reads.
    private boolean isInOwnField(Request request) {
        for (var authenticator : policy.authenticators()) {
            if (hasOwnField(authenticator, request)) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasOwnField(Authenticator authenticator, Request request) {
        var names = authenticator.credentialHeaders();
        return !names.isEmpty() && names.stream().anyMatch(request.headers()::has);
    }

    /// @param rejected whether credentials were rejected, also if a mechanism without credentials accepts the request
    private record Outcome(Authentication authentication, boolean rejected) {}

    private Outcome authenticate(Request request) {
        return authenticate(request, Authenticator::authenticate);
    }

    /// Credentials that are rejected are followed by no others, with which they would not be counted: mechanisms
    /// read the same line of `Authorization`, and what is rejected in a field of its own is final.
    private Outcome authenticate(Request sent, BiFunction<Authenticator, Request, Authentication> mechanism) {
        if (AuthorizationFields.areUnacceptable(sent.headers())) {
            return new Outcome(Authentication.REJECTED, true);
        }
        var request = AuthorizationFields.withOneLine(sent, policy.authenticators());
        var outcome = Authentication.ABSENT;
        for (var authenticator : policy.authenticators()) {
            switch (mechanism.apply(authenticator, request)) {
                case Authentication.Authenticated accepted -> {
                    return new Outcome(
                            accepted, outcome instanceof Authentication.Rejected && !authenticator.readsCredentials());
                }
                case Authentication.Rejected rejected
                when hasOwnField(authenticator, request) -> {
                    return new Outcome(rejected, true);
                }
                case Authentication.Rejected rejected ->
                    outcome =
                            outcome instanceof Authentication.Rejected(boolean isStale) && isStale ? outcome : rejected;
                case Authentication.Absent _ -> {}
            }
        }
        return new Outcome(outcome, outcome instanceof Authentication.Rejected);
    }

    private Authentication again(Request request) {
        var sent = request.attribute(Credentials.SENT_TO).map(request::with).orElse(request);
        return authenticate(sent, Authenticator::authenticateAgain).authentication();
    }

    /// Whether the credentials of a request still authenticate this account, with the same properties. May
    /// block.
    boolean isStillKnown(Request request, Account account) {
        return again(request) instanceof Authentication.Authenticated now
                && withoutTag(now.account()).equals(withoutTag(account));
    }

    /// The account of this name as it is now, if they still authenticate it with the same roles. May block.
    Optional<Account> current(Request request, Account account) {
        return again(request) instanceof Authentication.Authenticated now
                        && now.account().name().equals(account.name())
                        && now.account().roles().equals(account.roles())
                ? Optional.of(now.account())
                : Optional.empty();
    }

    /// The account without its entity tag, which changes with every write of the account's document.
    private static Account withoutTag(Account account) {
        if (!account.properties().containsKey("_etag")) {
            return account;
        }
        var properties = account.properties().clone();
        properties.remove("_etag");
        return account.with(properties);
    }

    /// Bounds on the `Authorization` field, checked before any mechanism reads it.
    private static final class AuthorizationFields {
        private static final int MAX_LENGTH = 8_192;

        private AuthorizationFields() {}

        /// Whether the credentials are refused unread: too long, with control characters, or two of one scheme.
        static boolean areUnacceptable(Headers headers) {
            var lines = AuthorizationHeader.all(headers);
            for (var sent : lines) {
                if (sent.line().length() > MAX_LENGTH || hasControlCharacter(sent.line())) {
                    return true;
                }
            }
            return lines.size() > 1
                    && lines.stream()
                                    .map(AuthorizationHeader::scheme)
                                    .distinct()
                                    .count()
                            < lines.size();
        }

        /// The one that mechanisms read: the first line of HTTP Basic, else of a scheme that one of them reads, else
        /// of all.
        static Request withOneLine(Request request, List<Authenticator> authenticators) {
            var lines = AuthorizationHeader.all(request.headers());
            if (lines.size() < 2) {
                return request;
            }
            var known = lines.stream()
                    .filter(sent -> authenticators.stream()
                            .flatMap(authenticator -> authenticator.scheme().stream())
                            .anyMatch(sent.scheme()::equalsIgnoreCase))
                    .toList();
            return known.stream()
                    .filter(sent -> sent.has(AuthorizationHeader.BASIC))
                    .findFirst()
                    .orElse(known.isEmpty() ? lines.getFirst() : known.getFirst())
                    .in(request);
        }

        private static boolean hasControlCharacter(String line) {
            for (int i = 0; i < line.length(); i++) {
                char c = line.charAt(i);
                if ((c < ' ' && c != '\t') || c == 0x7f) {
                    return true;
                }
            }
            return false;
        }
    }
}
