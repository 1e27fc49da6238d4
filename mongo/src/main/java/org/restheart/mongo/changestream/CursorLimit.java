package org.restheart.mongo.changestream;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.access.FairShares;

/// Bounds the number of open cursors, in all and of each owner: each occupies a connection to MongoDB. An owner has
/// no more than are free, so that some owners cannot have all. Thread-safe.
final class CursorLimit {
    private final int max;
    private final int maxPerOwner;
    private final ConcurrentHashMap<String, Integer> owned = new ConcurrentHashMap<>();
    private final FairShares shares;
    private final Semaphore free;
    private final StreamMeters meters;

    CursorLimit(int max, int maxPerOwner, StreamMeters meters) {
        this.max = max;
        this.maxPerOwner = maxPerOwner;
        this.shares = new FairShares(max, 0);
        this.free = new Semaphore(max);
        this.meters = meters;
    }

    /// Refuses further cursors and waits until the open ones are closed.
    ///
    /// @return whether they are
    boolean awaitClosed(Duration atMost) throws InterruptedException {
        return free.tryAcquire(max, atMost.toNanos(), TimeUnit.NANOSECONDS);
    }

    /// @param owner the account or the address on whose behalf the cursor is opened
    /// @throws org.restheart.http.ProblemException 429 if the owner has its share, 503 if there are too many in all
    Place acquire(String owner) {
        if (owned.merge(owner, 1, Integer::sum) > maxPerOwner) {
            disown(owner);
            throw refused(
                    ProblemCode.TOO_MANY_REQUESTS,
                    "this account or address has " + maxPerOwner + " change streams already");
        }
        if (!free.tryAcquire()) {
            disown(owner);
            throw refused(ProblemCode.OVERLOADED, "there are " + max + " change streams already");
        }
        if (!shares.tryTake(owner)) {
            free.release();
            disown(owner);
            throw refused(
                    ProblemCode.TOO_MANY_REQUESTS,
                    "this account or address has as many of the " + max + " change streams as are free");
        }
        meters.opened();
        return new Place(owner);
    }

    private void disown(String owner) {
        owned.computeIfPresent(owner, (_, open) -> open == 1 ? null : open - 1);
    }

    private static ProblemException refused(ProblemCode code, String message) {
        return Problem.of(code, message).with("Retry-After", "5").raise();
    }

    /// One cursor's permit, released once. Confined to one thread, or guarded by a lock of its user.
    final class Place implements AutoCloseable {
        private String owner;

        private Place(String owner) {
            this.owner = owner;
        }

        String owner() {
            return owner;
        }

        /// From now on the cursor counts for another owner, even if that one has its share already.
        void passTo(String next) {
            shares.pass(owner, next);
            owned.merge(next, 1, Integer::sum);
            disown(owner);
            owner = next;
        }

        @Override
        public void close() {
            meters.closed();
            shares.release(owner);
            free.release();
            disown(owner);
        }
    }
}
