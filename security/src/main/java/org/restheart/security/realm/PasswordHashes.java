package org.restheart.security.realm;

import at.favre.lib.crypto.bcrypt.BCrypt;
import at.favre.lib.crypto.bcrypt.LongPasswordStrategies;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.security.ClientAddress;
import org.restheart.security.realm.BcryptQueue.Turn;

/// bcrypt, which is slow by design: few hashes are computed at a time, on separate threads, so that other work keeps
/// its processors; requests that wait too long are refused with 503. A verified password is cached under a keyed digest
/// together with the hash, so that a changed hash is verified again. Thread-safe.
public final class PasswordHashes implements AutoCloseable {
    /// bcrypt uses at most this many bytes of a password's UTF-8.
    public static final int MAX_PASSWORD_BYTES = 72;

    private static final Pattern FORM = Pattern.compile("\\$2[aby]\\$(0[4-9]|[12]\\d|3[01])\\$[./A-Za-z0-9]{53}");
    private static final int MAX_REMEMBERED = 1_000;
    private static final Duration REMEMBERED = Duration.ofMinutes(20);
    private static final Duration MAX_WAIT = Duration.ofSeconds(10);

    /// The digits of bcrypt's Base64, and those that end a salt or a hash: their lowest bits are not used.
    private static final String DIGITS = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

    private static final byte[] NO_PASSWORD = {'-'};
    private static final int SALT_DIGITS = 22;
    private static final int HASH_DIGITS = 31;

    private final int cost;
    private final ClientAddress address;
    private final KeyedDigest digest = new KeyedDigest();
    private final BcryptQueue queue;
    private final ConcurrentMap<KeyedDigest.Digest, Turn<Boolean>> verifying = new ConcurrentHashMap<>();
    private final Cache<KeyedDigest.Digest, Boolean> right = Caffeine.newBuilder()
            .executor(Runnable::run)
            .maximumSize(MAX_REMEMBERED)
            .expireAfterAccess(REMEMBERED)
            .build();

    /// @param cost of new hashes, 4 to 31; each step doubles the time
    public PasswordHashes(int cost, ClientAddress address) {
        this.cost = cost;
        this.address = address;
        this.queue = new BcryptQueue(Math.max(1, Runtime.getRuntime().availableProcessors() / 2));
    }

    /// Under which addresses clients are known.
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
        var client = address.of(request);
        boolean matches = await(request, () -> {
            var turn = verification(key, password, hash);
            var asked = verifying.putIfAbsent(key, turn);
            if (asked != null) {
                asked.want();
                return asked;
            }
            var _ = turn.whenComplete((_, _) -> verifying.remove(key, turn));
            queue.add(client, turn);
            return turn;
        });
        if (matches) {
            queue.recordValidPassword(client);
        }
        return matches;
    }

    private Turn<Boolean> verification(KeyedDigest.Digest key, String password, String hash) {
        return new Turn<>(MAX_WAIT, () -> {
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
        });
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
        return await(request, () -> {
            var turn = new Turn<>(MAX_WAIT, () -> BCrypt.withDefaults().hashToString(cost, password.toCharArray()));
            queue.add(address.of(request), turn);
            return turn;
        });
    }

    private static <T> T await(Request request, Supplier<Turn<T>> turn) {
        request.requireThread();
        try {
            return turn.get().get(MAX_WAIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException | TimeoutException | CancellationException _) {
            throw overloaded();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw overloaded();
        } catch (ExecutionException e) {
            throw new IllegalStateException("bcrypt failed", e.getCause());
        }
    }

    private static ProblemException overloaded() {
        return Problem.overloaded("too many passwords are being verified").raise();
    }

    @Override
    public void close() {
        queue.close();
    }
}
