package org.restheart.perftest.listen;

/// One listener's memory: the number of the last event. Events are numbered from 1. Confined to the loop's thread.
final class Subscriber {
    private long last;

    /// What an event's number means to this listener.
    enum Verdict {
        NEXT,
        /// Some before it are missing, at least so far.
        GAP,
        /// Seen before, or late.
        BACKWARDS
    }

    Verdict accept(long number) {
        var expected = last + 1;
        if (number <= last) {
            return Verdict.BACKWARDS;
        }
        last = number;
        return number == expected ? Verdict.NEXT : Verdict.GAP;
    }
}
