package org.restheart.core.filter;

import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.restheart.core.config.RateLimitsConfig;
import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.NeedsThread;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.security.ClientAddress;
import org.restheart.security.Credentials;

/// Limits the requests of each address and each account; further ones are refused with 429. Gateways may tell
/// each other what they admitted. Thread-safe.
public final class RateLimits {
    private final ClientAddress addresses;
    private final RateLimiter byAddress;
    private final RateLimiter byAccount;
    private volatile RateLimitsConfig config;
    private volatile Set<RequestPath> exempt;

    public RateLimits(RateLimitsConfig config, ClientAddress addresses) {
        this(config, addresses, System::nanoTime);
    }

    RateLimits(RateLimitsConfig config, ClientAddress addresses, LongSupplier nanoTime) {
        this.addresses = addresses;
        this.byAddress = new RateLimiter(nanoTime, config.shared().isPresent());
        this.byAccount = new RateLimiter(nanoTime, config.shared().isPresent());
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

    /// Requests that were refused by their address.
    public long refusedByAddress() {
        return byAddress.refused();
    }

    /// Requests that were refused by their account.
    public long refusedByAccount() {
        return byAccount.refused();
    }

    /// What was admitted here since the last report.
    public RateReport report() {
        var current = config;
        return new RateReport(
                current.perAddress().map(byAddress::report).orElse(Map.of()),
                current.perAccount().map(byAccount::report).orElse(Map.of()));
    }

    /// Counts what another gateway has admitted.
    public void count(RateReport elsewhere) {
        var current = config;
        current.perAddress().ifPresent(limit -> byAddress.countElsewhere(elsewhere.byAddress(), limit));
        current.perAccount().ifPresent(limit -> byAccount.countElsewhere(elsewhere.byAccount(), limit));
    }

    /// Counts by address: before credentials are checked, which costs more than this.
    Response beforeAuthentication(Request request, Handler next) {
        var limit = config.perAddress();
        return limit.isEmpty() || isExempt(request)
                ? next.handle(request)
                : within(byAddress, limit.get(), addresses.of(request), request, next);
    }

    /// Counts by account; callers without one of their own were counted by address.
    Response afterAuthentication(Request request, Handler next) {
        var limit = config.perAccount();
        var account = request.caller().account();
        return limit.isEmpty()
                        || account.isEmpty()
                        || request.attribute(Credentials.KEY)
                                .filter(Credentials::isAnonymous)
                                .isPresent()
                        || config.unlimitedRoles().stream().anyMatch(account.get()::hasRole)
                ? next.handle(request)
                : within(byAccount, limit.get(), account.get().name(), request, next);
    }

    private boolean isExempt(Request request) {
        return exempt.stream()
                .anyMatch(path -> path.segments().equals(request.path().segments()));
    }

    private static Response within(
            RateLimiter limiter, RateLimitsConfig.Limit limit, String who, Request request, Handler next) {
        var outcome = limiter.count(who, limit);
        if (!outcome.isAdmitted()) {
            throw Problem.of(
                            ProblemCode.TOO_MANY_REQUESTS,
                            "too many requests; the header Retry-After says when to try again")
                    .with("Retry-After", Long.toString(outcome.retrySeconds()))
                    .with(outcome.headers())
                    .raise();
        }
        try {
            return next.handle(request)
                    .map(response ->
                            response.headers().has(RateLimiter.LIMIT) ? response : response.with(outcome.headers()));
        } catch (NeedsThread signal) { // the request starts again on another thread, and is counted then
            limiter.giveBack(who, limit);
            throw signal;
        }
    }

    /// As filters of a pipeline.
    Filter addressFilter() {
        return this::beforeAuthentication;
    }

    Filter accountFilter() {
        return this::afterAuthentication;
    }
}
