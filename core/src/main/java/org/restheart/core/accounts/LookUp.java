package org.restheart.core.accounts;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoInterruptedException;
import com.mongodb.MongoServerException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.access.CallerScope;
import org.restheart.mongo.concern.ConnectionRetry;
import org.restheart.mongo.error.ShareTakenException;
import org.restheart.mongo.error.UnsatisfiedPreferenceException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs the queries for accounts and permissions with the connections that are reserved for look-ups. A
/// failed query is a problem with status 503; the first failure and the recovery are logged, not every request.
/// Thread-safe.
final class LookUp {
    private static final Logger LOG = LoggerFactory.getLogger(LookUp.class);

    private final AtomicBoolean failing = new AtomicBoolean();

    /// @param query is repeated after lost connections
    /// @throws org.restheart.http.ProblemException 503 if the query fails
    <T> T of(Supplier<T> query) {
        return once(() -> ConnectionRetry.repeated(query));
    }

    /// The same for what tells whether it has changed something: only the driver repeats it, which knows that.
    <T> T once(Supplier<T> query) {
        try {
            var result = CallerScope.lookUp(query);
            if (failing.get() && failing.compareAndSet(true, false)) {
                LOG.info("accounts and permissions can be looked up again");
            }
            return result;
        } catch (MongoInterruptedException _) { // the client has left, or the server stops: MongoDB can be asked
            throw unavailable("");
        } catch (ShareTakenException _) { // others are not concerned
            throw Problem.overloaded("too many accounts and permissions are being looked up for this caller")
                    .raise();
        } catch (MongoException e) {
            if (failing.compareAndSet(false, true)) {
                LOG.warn(
                        "accounts and permissions cannot be looked up: {}",
                        e instanceof MongoCommandException answer ? MongoFailures.reason(answer) : e.toString());
            } else {
                LOG.debug("accounts and permissions still cannot be looked up", e);
            }
            throw unavailable(
                    switch (e) {
                        case MongoServerException _ -> "";
                        case UnsatisfiedPreferenceException unsatisfied -> unsatisfied.getMessage() + ": ";
                        default -> "MongoDB unreachable: ";
                    });
        }
    }

    private static ProblemException unavailable(String why) {
        return Problem.of(
                        ProblemCode.DATABASE_UNAVAILABLE,
                        why + "accounts and permissions cannot be looked up at the moment")
                .with("Retry-After", "5")
                .raise();
    }
}
