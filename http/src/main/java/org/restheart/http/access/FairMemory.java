package org.restheart.http.access;

/// Bounds the bytes that callers hold together, in [FairShares] of mebibytes; what is smaller is not counted.
/// Thread-safe.
public final class FairMemory {
    private static final int UNIT = 1 << 20;

    private final FairShares units;

    /// @param bytes of all callers together
    public FairMemory(long bytes) {
        this.units = new FairShares((int) Math.min(Integer.MAX_VALUE, bytes / UNIT), 0);
    }

    /// Opens the memory of one piece of work, empty.
    ///
    /// @param caller see [CallerScope]; [CallerScope#SERVER] is never refused
    public Share open(String caller) {
        return new Share(caller);
    }

    /// The memory of one piece of work, given back when it is closed. Confined to one thread at a time.
    public final class Share implements AutoCloseable {
        private final String caller;
        private long bytes;
        private int taken;

        private Share(String caller) {
            this.caller = caller;
        }

        /// Adds bytes.
        ///
        /// @return false if the caller may not hold as many now; the work is to be given up
        public boolean add(long more) {
            bytes += more;
            int needed = (int) Math.min(Integer.MAX_VALUE, bytes / UNIT) - taken;
            if (needed > 0 && !units.tryTake(caller, needed)) {
                return false;
            }
            taken += Math.max(0, needed);
            return true;
        }

        /// The sum of what was added.
        public long bytes() {
            return bytes;
        }

        @Override
        public void close() {
            if (taken > 0) {
                units.release(caller, taken);
                taken = 0;
            }
        }
    }
}
