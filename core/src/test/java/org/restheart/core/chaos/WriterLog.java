package org.restheart.core.chaos;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.restheart.core.chaos.Ledger.Period;

/// What one writer knows of its documents, which it numbers from 0: one bit for each acknowledged and one for each
/// found, so that millions fit a small heap. One thread writes; others read after it has ended.
final class WriterLog {
    private final BitSet acknowledged = new BitSet();
    private final BitSet stored = new BitSet();
    private final List<Part> parts = new ArrayList<>();
    private int attempted;

    /// The numbers from the first one on were acknowledged in this period.
    private record Part(int first, Period period) {}

    /// Takes the next numbers.
    ///
    /// @return the first of them
    int attempt(int count) {
        attempted += count;
        return attempted - count;
    }

    void acknowledged(int number, Period period) {
        if (parts.isEmpty() || parts.getLast().period() != period) {
            parts.add(new Part(number, period));
        }
        acknowledged.set(number);
    }

    /// Counts a document of this writer that MongoDB has.
    ///
    /// @return false if no such document was written, or it was counted before
    boolean found(int number) {
        boolean first = number >= 0 && number < attempted && !stored.get(number);
        if (first) {
            stored.set(number);
        }
        return first;
    }

    long acknowledged() {
        return acknowledged.cardinality();
    }

    /// Documents without an acknowledgement that MongoDB has.
    long unknownStored() {
        var unknown = (BitSet) stored.clone();
        unknown.andNot(acknowledged);
        return unknown.cardinality();
    }

    /// Documents without an acknowledgement.
    long unknown() {
        return attempted - acknowledged();
    }

    /// The numbers that were acknowledged and are not there.
    BitSet lost() {
        var lost = (BitSet) acknowledged.clone();
        lost.andNot(stored);
        return lost;
    }

    /// When this number was acknowledged.
    Period period(int number, Period otherwise) {
        return parts.reversed().stream()
                .filter(part -> part.first() <= number)
                .findFirst()
                .map(Part::period)
                .orElse(otherwise);
    }
}
