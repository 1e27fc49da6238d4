package org.restheart.security.realm;

import static org.restheart.http.AuthorizationHeader.DIGEST;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.restheart.http.AuthorizationHeader;
import org.restheart.http.Digests;
import org.restheart.http.Fields;
import org.restheart.http.Headers;
import org.restheart.http.Request;
import org.restheart.http.SecretValues;
import org.restheart.security.Authentication;
import org.restheart.security.Authenticator;
import org.restheart.security.Credentials;

/// HTTP Digest, with `qop="auth"` or, for old clients, without.
public final class DigestAuthenticator implements Authenticator {
    private static final String OPAQUE = "0".repeat(32);

    private final Realm accounts;
    private final String realm;
    private final String domain;
    private final Credentials credentials;
    private final Nonces nonces = new Nonces(InstantSource.system());

    /// @param realm the name that clients show to users
    public DigestAuthenticator(Realm accounts, String realm, String domain, String source) {
        this.accounts = accounts;
        this.realm = realm;
        this.domain = domain;
        this.credentials = Credentials.password(source);
    }

    @Override
    public Optional<String> scheme() {
        return Optional.of(DIGEST);
    }

    @Override
    public Authentication authenticate(Request request) {
        return authenticate(request, true);
    }

    /// Does not check the nonce again: each of its counts is valid once.
    @Override
    public Authentication authenticateAgain(Request request) {
        return authenticate(request, false);
    }

    private Authentication authenticate(Request request, boolean uses) {
        var sent = DigestCredentials.find(request.headers());
        if (sent.isEmpty()) {
            return Authentication.ABSENT;
        }
        request.requireThread(); // a nonce is used up once, not again when this step begins again
        var account = isForThis(request, sent.get())
                ? accounts.clear(
                        request, sent.get().get("username"), password -> isRight(request, sent.get(), password))
                : Optional.<Realm.Stored>empty();
        if (account.isEmpty()) {
            return Authentication.REJECTED;
        }
        if (uses && !nonces.use(account.get().account().name(), sent.get().get("nonce"), count(sent.get()))) {
            return new Authentication.Rejected(true);
        }
        return new Authentication.Authenticated(
                account.get().account(), credentials, uses ? information(sent.get(), account.get()) : Fields.NONE);
    }

    private boolean isForThis(Request request, DigestCredentials sent) {
        var query = request.query().raw();
        var target = request.path().raw() + (query.isEmpty() ? "" : "?" + query);
        var absolute =
                request.connection().scheme() + "://" + request.connection().hostAndPort() + target;
        return sent.get("realm").equals(realm)
                && (!sent.has("opaque") || sent.get("opaque").equals(OPAQUE))
                && (!sent.has("algorithm") || sent.get("algorithm").equalsIgnoreCase("MD5"))
                && (!sent.has("qop") || sent.get("qop").equals("auth"))
                && (sent.get("uri").equals(target) || sent.get("uri").equals(absolute));
    }

    private static boolean isRight(Request request, DigestCredentials sent, String password) {
        var expected = response(sent, password, request.method() + ":" + sent.get("uri"));
        return SecretValues.equal(sent.get("response"), expected);
    }

    /// RFC 2617, 3.2.2.1.
    private static String response(DigestCredentials sent, String password, String a2) {
        var a1 = md5(sent.get("username") + ":" + sent.get("realm") + ":" + password);
        var middle = sent.has("qop")
                ? sent.get("nonce") + ":" + sent.get("nc") + ":" + sent.get("cnonce") + ":" + sent.get("qop")
                : sent.get("nonce");
        return md5(a1 + ":" + middle + ":" + md5(a2));
    }

    private static long count(DigestCredentials sent) {
        if (!sent.has("qop")) {
            return 1;
        }
        try {
            return Long.parseLong(sent.get("nc"), 16);
        } catch (NumberFormatException _) {
            return 0; // never increasing
        }
    }

    private Fields information(DigestCredentials sent, Realm.Stored account) {
        var text = "nextnonce=\"" + nonces.next() + "\"";
        if (sent.has("qop")) {
            text += ",qop=\"auth\",rspauth=\"" + response(sent, account.password(), ":" + sent.get("uri"))
                    + "\",cnonce=\"" + sent.get("cnonce").replaceAll("[\\\\\"\\p{Cntrl}]", "") + "\",nc="
                    + sent.get("nc");
        }
        return Fields.of("Authentication-Info", text);
    }

    @Override
    public Optional<String> challenge(Request request) {
        return Optional.of("Digest realm=\"" + realm + "\",domain=\"" + domain + "\",nonce=\"" + nonces.next()
                + "\",opaque=\"" + OPAQUE + "\""
                + (request.attribute(Authentication.STALE).isPresent() ? ",stale=true" : "")
                + ",algorithm=MD5,qop=\"auth\"");
    }

    private static String md5(String text) {
        return HexFormat.of().formatHex(Digests.of("MD5").digest(text.getBytes(StandardCharsets.UTF_8)));
    }

    /// The parameters of an `Authorization: Digest` field (RFC 2617, 3.2.2).
    private record DigestCredentials(Map<String, String> parameters) {
        private static final Pattern PARAMETER =
                Pattern.compile("\\G\\s*([a-z]+)\\s*=\\s*(?:\"((?:[^\"\\\\]|\\\\.)*+)\"|([^\\s,\"]*))\\s*(?:,|$)");

        /// Empty if the first `Authorization` field is of another kind; without parameters if it does not parse.
        static Optional<DigestCredentials> find(Headers headers) {
            return AuthorizationHeader.of(headers)
                    .filter(sent -> sent.hasExactly(DIGEST))
                    .map(sent -> parse(sent.credentials()));
        }

        private static DigestCredentials parse(String text) {
            var parameters = new HashMap<String, String>();
            var matcher = PARAMETER.matcher(text);
            int end = 0;
            while (end < text.length() && matcher.find()) {
                var quoted = matcher.group(2);
                parameters.put(
                        matcher.group(1), quoted == null ? matcher.group(3) : quoted.replaceAll("\\\\(.)", "$1"));
                end = matcher.end();
            }
            return new DigestCredentials(end == text.length() ? parameters : Map.of());
        }

        String get(String name) {
            return parameters.getOrDefault(name, "");
        }

        boolean has(String name) {
            return parameters.containsKey(name);
        }

        @Override
        public String toString() {
            return "DigestCredentials[" + get("username") + "]";
        }
    }

    /// The nonces of this server. Each may be used once per count, in increasing order. Nothing is stored
    /// of those that are issued, since anybody can ask for any number of them: a nonce proves by itself
    /// when it was issued. Stored is what accounts have used. Thread-safe.
    static final class Nonces {
        /// Of an account; beyond, its oldest ones are not accepted any more, and its clients are given
        /// another.
        private static final int MAX_USED = 1_000;

        private static final int MAX_ACCOUNTS = 10_000;
        private static final Duration LIFETIME = Duration.ofMinutes(5);
        private static final int RANDOM_BYTES = 8;
        private static final int SIGNED_BYTES = Long.BYTES + RANDOM_BYTES;
        private static final int BYTES = SIGNED_BYTES + 16;

        private final InstantSource clock;
        private final byte[] key = SecretValues.random(32);
        private final Cache<String, Used> accounts = Caffeine.newBuilder()
                .executor(Runnable::run)
                .maximumSize(MAX_ACCOUNTS)
                .expireAfterAccess(LIFETIME)
                .evictionListener((@Nullable String _, @Nullable Used used, RemovalCause cause) -> evicted(used, cause))
                .build();

        /// Those that were issued until then are not accepted: it is not known which of them have been
        /// used.
        private final AtomicLong forgotten = new AtomicLong(Long.MIN_VALUE);

        Nonces(InstantSource clock) {
            this.clock = clock;
        }

        private void evicted(@Nullable Used used, RemovalCause cause) {
            if (used != null && cause != RemovalCause.EXPIRED) {
                forgotten.accumulateAndGet(used.forget(), Math::max);
            }
        }

        String next() {
            var nonce = ByteBuffer.allocate(BYTES).putLong(clock.millis());
            nonce.put(SecretValues.random(RANDOM_BYTES));
            nonce.put(signature(nonce.array()));
            return HexFormat.of().formatHex(nonce.array());
        }

        private byte[] signature(byte[] nonce) {
            var mac = Digests.hmac(key);
            mac.update(nonce, 0, SIGNED_BYTES);
            return Arrays.copyOf(mac.doFinal(), BYTES - SIGNED_BYTES);
        }

        /// Whether the nonce is good and this count is its next; uses it up.
        ///
        /// @param count 1 for clients that do not count
        boolean use(String account, String nonce, long count) {
            return issued(nonce)
                    .filter(time -> time > forgotten.get() && clock.millis() - time < LIFETIME.toMillis())
                    .filter(time -> accounts.get(account, _ -> new Used()).use(nonce, time, count))
                    .isPresent();
        }

        /// When this server has issued the nonce; empty if it has not.
        private Optional<Long> issued(String nonce) {
            if (nonce.length() != 2 * BYTES) {
                return Optional.empty();
            }
            byte[] bytes;
            try {
                bytes = HexFormat.of().parseHex(nonce);
            } catch (IllegalArgumentException _) {
                return Optional.empty();
            }
            return MessageDigest.isEqual(Arrays.copyOfRange(bytes, SIGNED_BYTES, BYTES), signature(bytes))
                    ? Optional.of(ByteBuffer.wrap(bytes).getLong())
                    : Optional.empty();
        }

        /// The nonces that one account has used.
        private static final class Used {
            private record Last(long issued, long count) {}

            /// In the order of their first use.
            @GuardedBy("this")
            private final Map<String, Last> counts = new LinkedHashMap<>();

            /// Those that were issued until then are not accepted, unless their counts are known.
            @GuardedBy("this")
            private long forgotten = Long.MIN_VALUE;

            synchronized boolean use(String nonce, long issued, long count) {
                var last = counts.get(nonce);
                if (last == null ? issued <= forgotten || count <= 0 : count <= last.count) {
                    return false;
                }
                counts.put(nonce, new Last(issued, count));
                if (counts.size() > MAX_USED) {
                    var eldest = counts.entrySet().iterator();
                    forgotten = Math.max(forgotten, eldest.next().getValue().issued);
                    eldest.remove();
                }
                return true;
            }

            /// Accepts none from now on.
            ///
            /// @return when the latest of those was issued that may have been used
            synchronized long forget() {
                long latest = counts.values().stream().mapToLong(Last::issued).reduce(forgotten, Math::max);
                counts.clear();
                forgotten = Long.MAX_VALUE;
                return latest;
            }
        }
    }
}
