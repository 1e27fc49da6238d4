package org.restheart.http;

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.restheart.http.access.FairShares;

/// The memory for data: what requests read, and what responses hold until their clients have taken them. Callers share
/// it fairly ([FairShares]); each [Lease] counts for one of them. Thread-safe.
///
/// The heap is divided once, in [Part].
public final class MemoryBudget {
    /// What may fill the heap, and how much of it: everything that clients can make large has its part, and all parts
    /// together leave the rest to the process itself and to garbage.
    public enum Part {
        /// Documents, results and responses, chunks of files.
        DATA(24),

        /// Large replies of MongoDB that were not expected, until there is memory for what is in them.
        REPLIES(8),

        CONTENT(14),

        /// Messages for listeners that wait.
        PUSHES(5),

        /// Heads of requests that arrive, and of those in progress.
        HEADS(7),

        /// Cached properties of databases and collections.
        METADATA(3),

        SCHEMAS(2),

        ACCOUNTS(2),

        /// Cached content of files.
        FILES(2),

        BOOKMARKS(2),

        /// Cached documents that describe the API.
        DESCRIPTIONS(1);

        private final int percent;

        Part(int percent) {
            this.percent = percent;
        }

        public int percent() {
            return percent;
        }

        public long of(long heap) {
            return heap / 100 * percent;
        }

        /// @param configured 0 for this part of the heap of this process
        public long or(long configured) {
            return configured > 0 ? configured : bytes();
        }

        public long bytes() {
            return of(Runtime.getRuntime().maxMemory());
        }
    }

    /// More requests than are in progress at a time by default.
    private static final int REQUESTS = 10_000;

    /// The part that is left to amounts that are too small to be counted.
    private static final int UNCOUNTED = 16;

    /// The part that only responses under way may take: their next batch.
    private static final int RESERVE = 8;

    private static final long MAX_UNIT = 16 << 10;

    private final long unit;
    private final FairShares units;

    public MemoryBudget(long bytes) {
        this.unit = Math.clamp(bytes / UNCOUNTED / REQUESTS, 1 << 10, MAX_UNIT);
        int all = Math.clamp((bytes - bytes / UNCOUNTED) / unit, 1, Integer.MAX_VALUE);
        this.units = new FairShares(all - all / RESERVE, all / RESERVE);
    }

    /// Opens the memory of one request or of one piece of work, empty.
    ///
    /// @param caller names the caller as far as it is known then, see [CallerScope]; not asked for small amounts.
    ///     [CallerScope#SERVER] is never refused
    public Lease open(Supplier<String> caller) {
        return open(caller, () -> false);
    }

    /// @param gone whether the client has gone, so that nobody waits for memory any more; asked a few times
    ///     a second
    public Lease open(Supplier<String> caller, BooleanSupplier gone) {
        return new Lease(this, () -> List.of(caller.get()), gone, () -> true);
    }

    /// As [#open(Supplier)], for what several callers have asked for: each part counts for the one of them that holds
    /// least, so that a caller whose share is used up does not fail the work of the others.
    ///
    /// @param sharers at least one, distinct
    public Lease open(List<String> sharers) {
        var callers = List.copyOf(sharers);
        return new Lease(this, () -> callers, () -> false, () -> true);
    }

    /// What a caller can have at most, in bytes, while nobody else holds any.
    public long share() {
        return Math.max(Lease.LARGEST, units.size() / 2 * unit);
    }

    FairShares units() {
        return units;
    }

    /// Amounts of less than one unit are not counted.
    int units(long bytes) {
        return bytes < unit ? 0 : (int) Math.min(Integer.MAX_VALUE, Math.ceilDiv(bytes, unit));
    }
}
