package org.restheart.security.realm;

import at.favre.lib.crypto.bcrypt.BCrypt;
import at.favre.lib.crypto.bcrypt.LongPasswordStrategies;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;

/// bcrypt, which is slow by design: few run at a time, on threads of their own, so that others keep their
/// processors; who does not get a turn soon is told to come again. A password that was right is remembered
/// under a keyed digest together with the hash, so that a changed hash is verified anew. Thread-safe.
public final class PasswordHashes implements AutoCloseable {
    /// bcrypt looks at no more bytes of a password (of its UTF-8).
    public static final int MAX_PASSWORD_BYTES = 72;

    private static final Pattern FORM = Pattern.compile("\\$2[aby]\\$(0[4-9]|[12]\\d|3[01])\\$[./A-Za-z0-9]{53}");
    private static final int MAX_REMEMBERED = 1_000;
    private static final Duration REMEMBERED = Duration.ofMinutes(20);
    private static final int MAX_WAITING = 64;
    private static final Duration MAX_WAIT = Duration.ofSeconds(10);

    private final int cost;
    private final String dummy;
    private final KeyedDigest digest = new KeyedDigest();
    private final ThreadPoolExecutor threads;
    private final Cache<KeyedDigest.Digest, Boolean> right = Caffeine.newBuilder()
            .maximumSize(MAX_REMEMBERED)
            .expireAfterAccess(REMEMBERED)
            .build();

    /// @param cost of hashes made here, 4 to 31: each one more doubles the time
    public PasswordHashes(int cost) {
        this.cost = cost;
        this.dummy = "$2a$%02d$abcdefghijklmnopqrstuuMsnqUfF2kA3Mvy0Lz5lJ6wRj0Vh2Ahy".formatted(cost);
        int processors = Runtime.getRuntime().availableProcessors();
        this.threads = new ThreadPoolExecutor(
                Math.max(1, processors / 2),
                Math.max(1, processors / 2),
                30,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(MAX_WAITING),
                Thread.ofPlatform().daemon().name("bcrypt-", 0).factory());
        threads.allowCoreThreadTimeOut(true);
    }

    /// Whether a text looks like a bcrypt hash.
    public static boolean isHash(String text) {
        return FORM.matcher(text).matches();
    }

    /// Whether the password has this hash; false for what is not a hash. Does not wait if it was right before.
    ///
    /// @throws ProblemException 503
    public boolean matches(Request request, String password, String hash) {
        var key = digest.of(hash, password);
        if (right.getIfPresent(key) != null) {
            return true;
        }
        if (!isHash(hash)) {
            return noMatch(request, password);
        }
        boolean matches = verify(request, password, hash);
        if (matches) {
            right.put(key, true);
        }
        return matches;
    }

    /// Always false, and takes as long as [#matches(Request, String, String)].
    ///
    /// @throws ProblemException 503
    public boolean noMatch(Request request, String password) {
        verify(request, password, dummy);
        return false;
    }

    /// A new hash of the password. Waits for a turn.
    ///
    /// @param password at most [#MAX_PASSWORD_BYTES] long
    /// @throws ProblemException 503
    public String hash(Request request, String password) {
        return run(request, () -> BCrypt.withDefaults().hashToString(cost, password.toCharArray()));
    }

    private boolean verify(Request request, String password, String hash) {
        // Hashes made elsewhere may be of longer passwords: bcrypt ignored the rest, so verifying has to.
        var verifier = BCrypt.verifyer(null, LongPasswordStrategies.truncate(BCrypt.Version.VERSION_2A));
        var bytes = password.getBytes(StandardCharsets.UTF_8);
        return run(request, () -> verifier.verify(bytes, hash.getBytes(StandardCharsets.US_ASCII)).verified);
    }

    private <T> T run(Request request, Callable<T> work) {
        request.requireThread();
        Future<T> turn;
        try {
            turn = threads.submit(work);
        } catch (RejectedExecutionException _) {
            throw overloaded();
        }
        try {
            return turn.get(MAX_WAIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException _) {
            turn.cancel(false);
            throw overloaded();
        } catch (InterruptedException _) {
            turn.cancel(false);
            Thread.currentThread().interrupt();
            throw overloaded();
        } catch (ExecutionException e) {
            throw new IllegalStateException("bcrypt failed", e.getCause());
        }
    }

    private static ProblemException overloaded() {
        return Problem.of(ProblemCode.OVERLOADED, "too many passwords are being verified")
                .with("Retry-After", "1")
                .raise();
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
