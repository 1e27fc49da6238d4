package org.restheart.security.realm;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Digests;
import org.restheart.http.SecretValues;

/// The nonces of this server. Each may be used once per count, in increasing order. Nothing is stored of those that are
/// issued, since anybody can ask for any number of them: a nonce proves by itself when it was issued. Stored is what
/// accounts have used. Thread-safe.
final class Nonces {
    /// Of an account; beyond, its oldest ones are not accepted any more, and its clients are given another.
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

    /// Those that were issued until then are not accepted: it is not known which of them have been used.
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
