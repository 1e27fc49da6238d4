package org.restheart.mongo.concern;

import com.mongodb.MongoConnectionPoolClearedException;
import com.mongodb.MongoException;
import com.mongodb.MongoSocketException;
import com.mongodb.MongoSocketOpenException;
import com.mongodb.MongoSocketReadTimeoutException;
import java.time.Duration;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import org.restheart.http.RequestStart;

/// Decides how often an operation is repeated whose connection to MongoDB has broken: for as long as the time of the
/// request lasts. The driver repeats an operation once, which is too few where connections break several times within
/// seconds: the request would fail though there is time left; commands by `runCommand` it does not repeat at all. Used
/// by one thread.
public final class ConnectionRetry {
    /// From the third attempt on. Mostly the driver waits for longer by itself, until it has reached the server again.
    private static final Duration PAUSE = Duration.ofMillis(50);

    /// For a further attempt, since the driver first looks for the server again.
    private static final Duration ENOUGH = Duration.ofSeconds(1);

    /// How soon connections fail that were broken before; an operation that ends a server takes longer.
    private static final Duration SOON = Duration.ofMillis(500);

    private final long deadline = System.nanoTime()
            + RequestStart.left(BoundedConcern.LIMIT).minus(ENOUGH).toNanos();

    /// Performs an operation, again where its connection is lost.
    ///
    /// @param operation changes nothing, or the same if it is repeated
    public static <T> T repeated(Supplier<T> operation) {
        return repeated(operation, Long.MAX_VALUE);
    }

    /// The same for a query with expressions of a client, which could end one server after the other: it is repeated
    /// only if its connection was lost soon.
    public static <T> T repeatedSoon(Supplier<T> query) {
        return repeated(query, SOON.toNanos());
    }

    /// The same for a change that must not be made twice: it is repeated only if MongoDB has received nothing.
    public static <T> T repeatedUnsent(Supplier<T> change) {
        return repeated(
                change,
                (e, _) -> e instanceof MongoConnectionPoolClearedException || e instanceof MongoSocketOpenException);
    }

    private static <T> T repeated(Supplier<T> operation, long maxNanos) {
        return repeated(operation, (_, nanos) -> nanos <= maxNanos);
    }

    /// @param mayRepeat of a failure and how long it took
    private static <T> T repeated(Supplier<T> operation, BiPredicate<MongoException, Long> mayRepeat) {
        var lost = new ConnectionRetry();
        while (true) {
            long began = System.nanoTime();
            try {
                return operation.get();
            } catch (MongoException e) {
                if (!mayRepeat.test(e, System.nanoTime() - began) || !lost.allowAnother(e)) {
                    throw e;
                }
            }
        }
    }

    /// Whether there may be another attempt after all that the driver makes by itself have failed; waits for a moment.
    public boolean allowAnother(MongoException failure) {
        if (!isLost(failure) || System.nanoTime() - deadline >= 0) {
            return false;
        }
        try {
            Thread.sleep(PAUSE);
            return true;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /// A time limit for reading is the user's, and what exceeds it once probably does so again.
    private static boolean isLost(MongoException failure) {
        return failure instanceof MongoConnectionPoolClearedException
                || (failure instanceof MongoSocketException && !(failure instanceof MongoSocketReadTimeoutException));
    }
}
