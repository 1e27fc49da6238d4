package org.restheart.mongo.cursor;

import java.util.List;

/// Ascending positions that can be shifted from a given one on, in logarithmic time: a Fenwick tree over the
/// distances between them. Not thread-safe.
final class FenwickTree {
    private final long[] tree;

    /// @param positions in ascending order
    FenwickTree(List<Long> positions) {
        tree = new long[positions.size() + 1];
        long before = 0;
        for (int i = 0; i < positions.size(); i++) {
            shift(i, positions.get(i) - before);
            before = positions.get(i);
        }
    }

    /// Shifts the positions from this index on.
    void shift(int index, long by) {
        for (int i = index + 1; i < tree.length; i += i & -i) {
            tree[i] += by;
        }
    }

    /// The index of the last position that is at most this; -1 if there is none.
    int last(long position) {
        int index = 0;
        long left = position;
        for (int step = Integer.highestOneBit(Math.max(1, tree.length)); step > 0; step >>= 1) {
            if (index + step < tree.length && tree[index + step] <= left) {
                index += step;
                left -= tree[index];
            }
        }
        return index - 1;
    }

    long position(int index) {
        long sum = 0;
        for (int i = index + 1; i > 0; i -= i & -i) {
            sum += tree[i];
        }
        return sum;
    }
}
