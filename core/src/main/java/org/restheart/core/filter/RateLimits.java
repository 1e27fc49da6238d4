package org.restheart.core.filter;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.restheart.core.config.RateLimitsConfig;
import org.restheart.http.Handler;
import org.restheart.http.Method;
import org.restheart.http.NamedOperation;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.http.WebSocketHandshake;
import org.restheart.security.ClientAddress;
import org.restheart.security.Credentials;

/// Limits the requests of each address and each account, and their operations on WebSockets; further ones are refused
/// with 429. Gateways may tell each other what they admitted. Thread-safe.
public final class RateLimits {
    private final ClientAddress addresses;
    private final RateLimiter byAddress;
    private final RateLimiter byAccount;
    private volatile RateLimitsConfig config;
    private volatile Set<RequestPath> exempt;

    public RateLimits(RateLimitsConfig config, ClientAddress addresses) {
        this.addresses = addresses;
        this.byAddress = new RateLimiter(System::nanoTime, config.shared().isPresent());
        this.byAccount = new RateLimiter(System::nanoTime, config.shared().isPresent());
        this.config = config;
        this.exempt = exempt(config);
    }

    private static Set<RequestPath> exempt(RateLimitsConfig config) {
        return config.exemptPaths().stream().map(RequestPath::parse).collect(Collectors.toUnmodifiableSet());
    }

    /// Changes the limits. Earlier requests stay counted.
    public void replace(RateLimitsConfig changed) {
        config = changed;
        exempt = exempt(changed);
    }

    public long refusedByAddress() {
        return byAddress.refused();
    }

    public long refusedByAccount() {
        return byAccount.refused();
    }

    /// What was admitted here since the last report.
    public Report report() {
        var current = config;
        return new Report(
                current.perAddress().map(byAddress::report).orElse(Map.of()),
                current.perAccount().map(byAccount::report).orElse(Map.of()));
    }

    /// Counts what another gateway has admitted.
    public void count(Report elsewhere) {
        var current = config;
        current.perAddress().ifPresent(limit -> byAddress.countElsewhere(elsewhere.byAddress(), limit));
        current.perAccount().ifPresent(limit -> byAccount.countElsewhere(elsewhere.byAccount(), limit));
    }

    private record Applied(RateLimiter limiter, RateLimitsConfig.Limit limit, String who) {
        RateLimiter.Outcome count() {
            var outcome = limiter.count(who, limit);
            if (!outcome.isAdmitted()) {
                throw Problem.of(
                                ProblemCode.TOO_MANY_REQUESTS,
                                "too many requests; the header Retry-After says when to try again")
                        .with("Retry-After", Long.toString(outcome.retrySeconds()))
                        .with(outcome.headers())
                        .raise();
            }
            return outcome;
        }
    }

    /// Counts by address: before credentials are checked, which costs more than this.
    Response beforeAuthentication(Request request, Handler next) {
        return within(ofAddress(request), request, next);
    }

    /// Counts by account; callers without one of their own were counted by address.
    Response afterAuthentication(Request request, Handler next) {
        boolean staysOpen = request.method() == Method.GET && WebSocketHandshake.isAsked(request.headers());
        return within(
                ofAccount(request),
                staysOpen ? request.with(NamedOperation.ADMISSION, () -> admit(request)) : request,
                next);
    }

    /// Counts an operation on the connection that a request has opened.
    private void admit(Request request) {
        ofAddress(request).ifPresent(Applied::count);
        ofAccount(request).ifPresent(Applied::count);
    }

    private Optional<Applied> ofAddress(Request request) {
        return config.perAddress()
                .filter(_ -> !isExempt(request))
                .map(limit -> new Applied(byAddress, limit, addresses.network(request)));
    }

    private Optional<Applied> ofAccount(Request request) {
        var current = config;
        return current.perAccount()
                .flatMap(limit -> request.caller()
                        .account()
                        .filter(account -> current.unlimitedRoles().stream().noneMatch(account::hasRole))
                        .filter(_ -> request.attribute(Credentials.KEY)
                                .filter(Credentials::isAnonymous)
                                .isEmpty())
                        .map(account -> new Applied(byAccount, limit, account.name())));
    }

    private boolean isExempt(Request request) {
        return exempt.stream()
                .anyMatch(path -> path.segments().equals(request.path().segments()));
    }

    private static Response within(Optional<Applied> applied, Request request, Handler next) {
        if (applied.isEmpty()) {
            return next.handle(request);
        }
        var outcome = applied.get().count();
        return next.handle(request)
                .map(response ->
                        response.headers().has(RateLimiter.LIMIT) ? response : response.with(outcome.headers()));
    }

    /// Requests that one gateway admitted in a while, for the others to count too. Immutable.
    ///
    /// @param byAddress requests by address
    /// @param byAccount requests by account
    public record Report(Map<String, Long> byAddress, Map<String, Long> byAccount) {
        public Report {
            byAddress = Map.copyOf(byAddress);
            byAccount = Map.copyOf(byAccount);
        }

        public boolean isEmpty() {
            return byAddress.isEmpty() && byAccount.isEmpty();
        }
    }
}
