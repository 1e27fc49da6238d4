package org.restheart.http.access;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Limits the memory that all callers use together, and divides it fairly among them ([FairShares]), in
/// mebibytes. Amounts of less than one are not counted. Thread-safe.
public final class FairMemory {
    private static final int UNIT = 1 << 20;

    private final FairShares units;

    public FairMemory(long bytes) {
        this.units = new FairShares((int) Math.min(Integer.MAX_VALUE, bytes / UNIT));
    }

    /// Opens the memory of one piece of work, empty.
    ///
    /// @param caller see [CallerScope]; [CallerScope#SERVER] is never refused
    public Share open(String caller) {
        return open(List.of(caller));
    }

    /// Opens the memory of one piece of work for several callers, empty. Each part of it counts for one of them,
    /// as in [FairShares#tryTake(List, int)]: they hold it together, and a caller whose share is used up does not
    /// fail the work of the others.
    ///
    /// @param sharers at least one, distinct
    public Share open(List<String> sharers) {
        return new Share(sharers);
    }

    /// The memory of one piece of work, given back when it is closed. Confined to one thread at a time.
    public final class Share implements AutoCloseable {
        private final List<String> sharers;
        private final Map<String, Integer> paid = new HashMap<>();
        private long bytes;
        private int taken;

        private Share(List<String> sharers) {
            this.sharers = List.copyOf(sharers);
        }

        /// Adds bytes. A negative number makes room for what is added later.
        ///
        /// @return false if no caller may hold as many now; the work is to be given up
        public boolean add(long more) {
            bytes += more;
            int needed = (int) Math.min(Integer.MAX_VALUE, bytes / UNIT) - taken;
            if (needed <= 0) {
                return true;
            }
            var payer = units.tryTake(sharers, needed);
            payer.ifPresent(caller -> paid.merge(caller, needed, Integer::sum));
            taken += payer.isPresent() ? needed : 0;
            return payer.isPresent();
        }

        public long bytes() {
            return bytes;
        }

        @Override
        public void close() {
            paid.forEach(units::release);
            paid.clear();
            taken = 0;
        }
    }
}
