package org.restheart.core.plugins;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.core.plugins.PluginCalls.PluginFailure;
import org.restheart.data.Access;
import org.restheart.http.Problem;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.http.judged.Permitted.RuleDecision;
import org.restheart.plugin.AccessRule;
import org.restheart.security.Authentication;
import org.restheart.security.Authenticator;
import org.restheart.security.Authorizer;
import org.restheart.security.Credentials;
import org.restheart.security.FailedAttempts;
import org.restheart.security.TokenManager;
import org.restheart.security.Vetoer;
import org.restheart.security.predicate.KindAttempt;

/// The parts of plugins that decide who asks, and whether they may. Each is on a thread that may block; one that fails
/// lets nobody in.
final class PluginSecurity {
    private PluginSecurity() {}

    static Vetoer vetoer(PluginCalls calls, Vetoer vetoer) {
        return (request, account) -> {
            request.requireThread();
            return calls.call("veto", () -> vetoer.vetoes(request, account), true);
        };
    }

    private static <T> T known(PluginCalls calls, String what, Callable<T> check) {
        try {
            return calls.call(what, check);
        } catch (PluginFailure failure) {
            calls.report(what, failure);
            throw Problem.overloaded("credentials cannot be checked now").raise();
        }
    }

    record Mechanism(
            PluginCalls calls,
            Authenticator mechanism,
            Optional<String> scheme,
            boolean readsCredentials,
            List<String> credentialHeaders)
            implements Authenticator {
        private static final String WHAT = "authenticator";

        /// Fields that browsers send for pages of other origins: as a mechanism's own they would pass for ones that no
        /// such page can send.
        private static final Set<String> NOT_ITS_OWN = Set.of("authorization", "cookie");

        /// @throws IllegalArgumentException if a header is not the mechanism's own
        Mechanism {
            if (credentialHeaders.stream().anyMatch(name -> NOT_ITS_OWN.contains(name.toLowerCase(Locale.ROOT)))) {
                throw new IllegalArgumentException("credentialHeaders() must not name Authorization or Cookie");
            }
        }

        Mechanism(PluginCalls calls, Authenticator mechanism) {
            this(
                    calls,
                    mechanism,
                    mechanism.scheme(),
                    mechanism.readsCredentials(),
                    List.copyOf(mechanism.credentialHeaders()));
        }

        @Override
        public Authentication authenticate(Request request) {
            request.requireThread();
            return known(calls, WHAT, () -> mechanism.authenticate(request));
        }

        @Override
        public Authentication authenticateAgain(Request request) {
            return known(calls, WHAT, () -> mechanism.authenticateAgain(request));
        }

        @Override
        public Optional<String> challenge(Request request) {
            return calls.call(WHAT, () -> mechanism.challenge(request), Optional.empty());
        }
    }

    record Rule(PluginCalls calls, AccessRule rule) implements Authorizer {
        private static final String WHAT = "access rule";

        @Override
        public boolean requiresAuthentication(Request request) {
            return !calls.call(WHAT, () -> rule.isForAnonymous(request), false);
        }

        @Override
        public Optional<Access> authorize(Request request, @Nullable Account account) {
            request.requireThread();
            return calls.call(WHAT, () -> rule.allow(request, account), Optional.empty());
        }

        /// Nothing: a rule in Java decides about requests, not about kinds of them. Lists of what there is would
        /// otherwise name all of it to everybody.
        @Override
        public List<RuleDecision> ask(Request example, KindAttempt attempt) {
            return List.of();
        }

        @Override
        public String place() {
            return "plugin " + calls.plugin();
        }
    }

    /// @param ended hears of accounts whose tokens have ended
    record Tokens(PluginCalls calls, TokenManager manager, List<Consumer<String>> ended) implements TokenManager {
        private static final String WHAT = "token manager";

        Tokens(PluginCalls calls, TokenManager manager) {
            this(calls, manager, new CopyOnWriteArrayList<>());
        }

        @Override
        public Issued issue(
                Request request, Account account, Credentials credentials, boolean renew, BsonDocument limits) {
            request.requireThread();
            return calls.call(WHAT, () -> manager.issue(request, account, credentials, renew, limits));
        }

        @Override
        public Optional<Authentication> verify(Request request, String name, String token) {
            request.requireThread();
            return known(calls, WHAT, () -> manager.verify(request, name, token).map(Tokens::withToken));
        }

        /// Credentials without a token would pass for a password, which begins sessions and which no log-out ends.
        private static Authentication withToken(Authentication verified) {
            if (verified instanceof Authentication.Authenticated known
                    && known.credentials().token().isEmpty()) {
                throw new IllegalStateException("the credentials that verify returns have no Token");
            }
            return verified;
        }

        @Override
        public void invalidate(Request request, Account account, Credentials credentials) {
            request.requireThread();
            calls.perform(WHAT, () -> manager.invalidate(request, account, credentials));
            ended.forEach(receiver -> receiver.accept(account.name()));
        }

        @Override
        public void watch(Consumer<String> receiver) {
            ended.add(receiver);
            calls.perform(WHAT, () -> manager.watch(receiver));
        }

        @Override
        public String type() {
            return calls.call(WHAT, manager::type);
        }

        @Override
        public String location(Account account) {
            return calls.call(WHAT, () -> manager.location(account));
        }
    }

    record Attempts(PluginCalls calls, FailedAttempts attempts) implements FailedAttempts {
        private static final String WHAT = "observer of failed attempts";

        @Override
        public void admit(Request request) {
            calls.perform(WHAT, () -> attempts.admit(request));
        }

        @Override
        public void begin(Request request) {
            calls.perform(WHAT, () -> attempts.begin(request));
        }

        @Override
        public void end(Request request, boolean rejected) {
            calls.run(WHAT, () -> attempts.end(request, rejected));
        }

        @Override
        public void refused(Request request) {
            calls.run(WHAT, () -> attempts.refused(request));
        }
    }
}
