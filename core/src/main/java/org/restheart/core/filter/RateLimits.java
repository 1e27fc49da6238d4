package org.restheart.core.filter;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.restheart.core.config.GatewayConfig.RateLimitsConfig;
import org.restheart.core.config.GatewayConfig.RateLimitsConfig.Limit;
import org.restheart.http.Fields;
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

    public Report report() {
        var current = config;
        return new Report(
                current.perAddress().map(byAddress::report).orElse(Map.of()),
                current.perAccount().map(byAccount::report).orElse(Map.of()));
    }

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
    public record Report(Map<String, Long> byAddress, Map<String, Long> byAccount) {
        public Report {
            byAddress = Map.copyOf(byAddress);
            byAccount = Map.copyOf(byAccount);
        }

        public boolean isEmpty() {
            return byAddress.isEmpty() && byAccount.isEmpty();
        }
    }

    /// Counts requests by name with the generic cell rate algorithm, which stores one number for each
    /// name: the theoretical arrival time of its next request. Thread-safe.
    ///
    /// The number of names is bounded; the least recently used ones are forgotten.
    static final class RateLimiter {
        static final String LIMIT = "RateLimit-Limit";

        private static final int MAX_NAMES = 100_000;
        private static final Duration REMEMBERED = Duration.ofHours(1);
        private static final int REPORTS_PER_BURST = 20;
        private static final int MAX_REPORTED = 5_000;

        /// The longest time by which requests that others admitted beyond the burst delay the next one, in
        /// nanoseconds.
        private static final long MAX_DEBT = TimeUnit.MINUTES.toNanos(1);

        private final LongSupplier nanoTime;
        private final long began;
        private final LongAdder refused = new LongAdder();
        private final boolean shared;

        /// Requests that were admitted here and have not been reported yet, by name; empty if they need
        /// not be reported.
        private final ConcurrentMap<String, Long> admitted = new ConcurrentHashMap<>();
        private final Cache<String, AtomicLong> names = Caffeine.newBuilder()
                .executor(Runnable::run)
                .maximumSize(MAX_NAMES)
                .expireAfterAccess(REMEMBERED)
                .build();

        RateLimiter(LongSupplier nanoTime, boolean shared) {
            this.nanoTime = nanoTime;
            this.shared = shared;
            this.began = nanoTime.getAsLong();
        }

        /// @param remaining requests that would be admitted now
        /// @param resetSeconds until as many as the burst would be admitted
        /// @param retrySeconds until the next would be admitted; 0 if this one was
        record Outcome(Limit limit, long remaining, long resetSeconds, long retrySeconds) {
            boolean isAdmitted() {
                return retrySeconds == 0;
            }

            Fields headers() {
                return Fields.of(
                        LIMIT,
                        Integer.toString(limit.burst()),
                        "RateLimit-Remaining",
                        Long.toString(remaining),
                        "RateLimit-Reset",
                        Long.toString(resetSeconds));
            }
        }

        Outcome count(String name, Limit limit) {
            long interval = interval(limit);
            long tolerance = limit.burst() * interval;
            var even = names.get(name, _ -> new AtomicLong());
            while (true) {
                long now = now();
                long before = even.get();
                long next = Math.max(before, now) + interval;
                long ahead = next - now;
                if (ahead > tolerance) {
                    refused.increment();
                    return new Outcome(limit, 0, seconds(ahead - interval), Math.max(1, seconds(ahead - tolerance)));
                }
                if (even.compareAndSet(before, next)) {
                    if (shared) {
                        remember(name);
                    }
                    return new Outcome(limit, (tolerance - ahead) / interval, seconds(ahead), 0);
                }
            }
        }

        /// For the next report, which may be late: while MongoDB does not answer there is none.
        private void remember(String name) {
            if (admitted.computeIfPresent(name, (_, count) -> count + 1) == null && admitted.size() < MAX_NAMES) {
                admitted.merge(name, 1L, Long::sum);
            }
        }

        /// The requests that were admitted since the last report. Names with few requests are reported
        /// when they have more, so that reports are short.
        Map<String, Long> report(Limit limit) {
            long enough = Math.max(1, limit.burst() / REPORTS_PER_BURST);
            var report = new HashMap<String, Long>();
            for (var name : admitted.keySet()) {
                if (report.size() < MAX_REPORTED && admitted.getOrDefault(name, 0L) >= enough) {
                    var count = admitted.remove(name);
                    if (count != null) {
                        report.put(name, count);
                    }
                }
            }
            if (admitted.size() >= MAX_NAMES) {
                admitted.clear();
            }
            return report;
        }

        /// Counts requests that others have admitted. They may be more than the limit, which then takes
        /// longer to admit the next: on average all together admit what one would.
        void countElsewhere(Map<String, Long> requests, Limit limit) {
            long interval = interval(limit);
            long most = limit.burst() * interval + MAX_DEBT;
            requests.forEach((name, count) -> names.get(name, _ -> new AtomicLong())
                    .updateAndGet(before -> {
                        long now = now();
                        long counted = Math.clamp(count, 0, most / interval + 1);
                        return Math.min(Math.max(before, now) + counted * interval, now + most);
                    }));
        }

        long refused() {
            return refused.sum();
        }

        private static long interval(Limit limit) {
            return TimeUnit.MINUTES.toNanos(1) / limit.perMinute();
        }

        private static long seconds(long nanos) {
            return Math.ceilDiv(nanos, TimeUnit.SECONDS.toNanos(1));
        }

        /// Never negative, so that 0 can stand for a new name.
        private long now() {
            return nanoTime.getAsLong() - began;
        }
    }
}
