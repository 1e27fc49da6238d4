package org.restheart.bson;

import java.util.Arrays;
import java.util.LinkedHashMap;

/// Notices when a document may have a name twice, by 64-bit hashes of the names of all documents that are open. A
/// false alarm (different names, one hash) costs time and nothing else. Confined to one thread.
final class RepeatedNames {
    /// Up to this number of names are compared as they are added; more are sorted at the end of the document.
    private static final int FEW = 32;

    private static final long MULTIPLIER = 0x9e3779b97f4a7c15L;

    private long[] hashes = new long[32];
    private int count;

    /// For each open document where its hashes begin.
    private int[] bases = new int[8];
    /// A 64-bit Bloom filter of the hashes per open document: mostly shows at once that a name is new.
    private long[] seen = new long[8];

    private boolean[] repeated = new boolean[8];
    private int depth;

    void enter() {
        if (depth == bases.length) {
            bases = Arrays.copyOf(bases, 2 * depth);
            seen = Arrays.copyOf(seen, 2 * depth);
            repeated = Arrays.copyOf(repeated, 2 * depth);
        }
        bases[depth] = count;
        seen[depth] = 0;
        repeated[depth++] = false;
    }

    /// Adds the name that ends where the bytes end.
    void add(BsonBuffer out, int start) {
        long hash = hash(out, start);
        int level = depth - 1;
        long bit = 1L << (hash >>> 58);
        if ((seen[level] & bit) != 0 && count - bases[level] <= FEW) {
            repeated[level] |= contains(hash, bases[level]);
        }
        seen[level] |= bit;
        if (count == hashes.length) {
            hashes = Arrays.copyOf(hashes, 2 * count);
        }
        hashes[count++] = hash;
    }

    /// Ends the innermost document and returns whether a name may be repeated in it.
    boolean leave() {
        int base = bases[--depth];
        boolean result = repeated[depth];
        if (!result && count - base > FEW) {
            Arrays.sort(hashes, base, count);
            for (int i = base + 1; i < count && !result; i++) {
                result = hashes[i] == hashes[i - 1];
            }
        }
        count = base;
        return result;
    }

    private boolean contains(long hash, int base) {
        for (int i = base; i < count; i++) {
            if (hashes[i] == hash) {
                return true;
            }
        }
        return false;
    }

    private static long hash(BsonBuffer out, int start) {
        int end = out.room(8);
        long hash = (long) end - start;
        int i = start;
        for (; i <= end - 8; i += 8) {
            hash = mix(hash ^ (long) RawCursor.LONG.get(out.bytes, i));
        }
        if (i < end) {
            long rest = (long) RawCursor.LONG.get(out.bytes, i);
            hash = mix(hash ^ (rest & ((1L << (8 * (end - i))) - 1)));
        }
        return hash;
    }

    private static long mix(long word) {
        long product = word * MULTIPLIER;
        return product ^ product >>> 32;
    }

    private record Element(int from, int to) {}

    /// Removes repeated names from a document: the last value is kept at the position of the first, as in a
    /// `LinkedHashMap`.
    ///
    /// @param start where the document begins that ends where the bytes end; it gets shorter if names repeat
    static void remove(BsonBuffer out, int start) {
        byte[] source = Arrays.copyOfRange(out.bytes, start, out.length);
        var cursor = new RawCursor(source, 0);
        int end = cursor.enter(source.length);
        var elements = new LinkedHashMap<String, Element>();
        while (cursor.at < end) {
            int from = cursor.at++;
            String name = cursor.cstring(end);
            cursor.skip(source[from], end);
            elements.put(name, new Element(from, cursor.at));
        }
        out.length = start + 4;
        for (var element : elements.values()) {
            out.put(source, element.from, element.to);
        }
        out.put((byte) 0);
        out.fill(start, out.length - start);
    }
}
