package org.restheart.security.realm;

import at.favre.lib.crypto.bcrypt.BCrypt;
import at.favre.lib.crypto.bcrypt.LongPasswordStrategies;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.FairShares;
import org.restheart.http.access.FairThreads;
import org.restheart.security.ClientAddress;

/// bcrypt, which is slow by design: few hashes are computed at a time, on separate threads, so that other work keeps
/// its processors. Clients take turns ([FairThreads]); requests that wait too long are refused with 503. A verified
/// password is cached under a keyed digest together with the hash, so that a changed hash is verified again.
/// Thread-safe.
public final class PasswordHashes implements AutoCloseable {
    /// bcrypt uses at most this many bytes of a password's UTF-8.
    public static final int MAX_PASSWORD_BYTES = 72;

    private static final Pattern FORM = Pattern.compile("\\$2[aby]\\$(0[4-9]|[12]\\d|3[01])\\$[./A-Za-z0-9]{53}");
    private static final int MAX_REMEMBERED = 1_000;
    private static final Duration REMEMBERED = Duration.ofMinutes(20);
    private static final Duration MAX_WAIT = Duration.ofSeconds(10);

    /// Passwords of one client that wait.
    private static final int MAX_WAITING = 64;

    private static final int MAX_KNOWN = 10_000;
    private static final Duration KNOWN = Duration.ofDays(1);

    /// The digits of bcrypt's Base64, and those that end a salt or a hash: their lowest bits are not used.
    private static final String DIGITS = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

    private static final byte[] NO_PASSWORD = {'-'};
    private static final int SALT_DIGITS = 22;
    private static final int HASH_DIGITS = 31;

    private final int cost;
    private final ClientAddress address;
    private final KeyedDigest digest = new KeyedDigest();
    private final FairThreads threads =
            new FairThreads("bcrypt-", Math.max(1, Runtime.getRuntime().availableProcessors() / 2));
    private final ConcurrentMap<KeyedDigest.Digest, CompletableFuture<Boolean>> verifying = new ConcurrentHashMap<>();

    /// Clients that have sent a right password. They have precedence as accounts have it, so that a flood from unknown
    /// addresses does not delay them.
    private final Cache<String, Boolean> known = Caffeine.newBuilder()
            .executor(Runnable::run)
            .maximumSize(MAX_KNOWN)
            .expireAfterWrite(KNOWN)
            .build();

    private final Cache<KeyedDigest.Digest, Boolean> right = Caffeine.newBuilder()
            .executor(Runnable::run)
            .maximumSize(MAX_REMEMBERED)
            .expireAfterAccess(REMEMBERED)
            .build();

    /// @param cost of new hashes, 4 to 31; each step doubles the time
    public PasswordHashes(int cost, ClientAddress address) {
        this.cost = cost;
        this.address = address;
    }

    ClientAddress clients() {
        return address;
    }

    public static boolean isHash(String text) {
        return FORM.matcher(text).matches();
    }

    /// Whether the password was recently verified against this hash. Never blocks.
    public boolean isKnownToMatch(String password, String hash) {
        return right.getIfPresent(digest.of(hash, password)) != null;
    }

    /// Whether the password has this hash; false for a text that is not a hash. Does not block if it was verified
    /// before.
    public boolean matches(Request request, String password, String hash) {
        var key = digest.of(hash, password);
        if (right.getIfPresent(key) != null) {
            return true;
        }
        return isHash(hash) ? verify(request, key, password, hash) : noMatch(request, hash, password);
    }

    /// Always false; does the same work as [#matches(Request, String, String)] for an account of this name: concurrent
    /// requests for the same name share it, requests for another name do not.
    public boolean noMatch(Request request, String name, String password) {
        var madeUp = madeUp(name);
        verify(request, digest.of(madeUp, password), password, madeUp);
        return false;
    }

    /// A hash without a known password, always the same for one name.
    private String madeUp(String name) {
        var random = new Random(digest.of(name, "salt").a()
                ^ Long.rotateLeft(digest.of(name, "hash").b(), 1));
        var text = new StringBuilder("$2a$%02d$".formatted(cost));
        for (int digits : new int[] {SALT_DIGITS, HASH_DIGITS}) {
            for (int i = 1; i < digits; i++) {
                text.append(DIGITS.charAt(random.nextInt(DIGITS.length())));
            }
            text.append('.');
        }
        return text.toString();
    }

    /// Verifies equal concurrent requests once, such as the first requests of a client with many connections.
    private boolean verify(Request request, KeyedDigest.Digest key, String password, String hash) {
        request.requireThread();
        var client = address.of(request);
        var own = new CompletableFuture<Boolean>();
        var asked = verifying.putIfAbsent(key, own);
        boolean matches = asked == null
                ? verify(client, key, password, hash, own)
                : result(() -> asked.get(MAX_WAIT.toMillis(), TimeUnit.MILLISECONDS));
        if (matches) {
            known.put(client, true);
        }
        return matches;
    }

    /// @param verified is completed for those that ask the same
    private boolean verify(
            String client, KeyedDigest.Digest key, String password, String hash, CompletableFuture<Boolean> verified) {
        try {
            boolean matches = compute(client, () -> isVerified(key, password, hash));
            verified.complete(matches);
            return matches;
        } finally {
            verifying.remove(key, verified);
            verified.cancel(false); // unless it is completed
        }
    }

    private boolean isVerified(KeyedDigest.Digest key, String password, String hash) {
        // Hashes created elsewhere may be of longer passwords, of which bcrypt ignores the rest.
        boolean matches = BCrypt.verifyer(null, LongPasswordStrategies.truncate(BCrypt.Version.VERSION_2A))
                .verify(password.getBytes(StandardCharsets.UTF_8), hash.getBytes(StandardCharsets.US_ASCII))
                .verified;
        if (matches) {
            right.put(key, true);
        } else {
            fillUp(hash);
        }
        return matches;
    }

    /// Hashes with a lower cost than the configured one take less time, which would tell them from unknown
    /// accounts, whose made-up hashes have the configured cost: computes 2^cost - 2^lower rounds, since each
    /// step doubles them.
    private void fillUp(String hash) {
        var salt = new byte[16];
        for (int lower = cost(hash); lower < cost; lower++) {
            BCrypt.withDefaults().hash(lower, salt, NO_PASSWORD);
        }
    }

    private static int cost(String hash) {
        return Integer.parseInt(hash, 4, 6, 10);
    }

    /// A new hash of the password. Blocks until it is computed.
    ///
    /// @param password at most [#MAX_PASSWORD_BYTES] long
    public String hash(Request request, String password) {
        request.requireThread();
        return compute(address.of(request), () -> BCrypt.withDefaults().hashToString(cost, password.toCharArray()));
    }

    /// Computes when it is the client's turn.
    private <T> T compute(String client, Callable<T> work) {
        var caller = known.getIfPresent(client) == null ? CallerScope.address(client) : CallerScope.account(client);
        var patience = new FairShares.Patience(MAX_WAIT.toNanos(), MAX_WAITING, () -> false);
        return result(() -> threads.compute(caller, patience, work).orElseThrow(PasswordHashes::overloaded));
    }

    private static <T> T result(Callable<T> computed) {
        try {
            return computed.call();
        } catch (ProblemException e) {
            throw e;
        } catch (TimeoutException | CancellationException | RejectedExecutionException _) {
            throw overloaded();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw overloaded();
        } catch (Exception e) {
            throw new IllegalStateException("bcrypt failed", e.getCause());
        }
    }

    private static ProblemException overloaded() {
        return Problem.overloaded("too many passwords are being verified").raise();
    }

    @Override
    public void close() {
        threads.close();
    }
}
