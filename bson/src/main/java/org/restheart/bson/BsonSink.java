package org.restheart.bson;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import org.bson.types.Decimal128;

/// Writes one value as BSON bytes in one pass and enforces the constraints on documents: no more than
/// [#MAX_DEPTH] levels and [#MAX_DOCUMENT] bytes, no zero byte in a name, no name twice in one document (the
/// last value wins, in the first one's place), no half surrogate pairs. Confined to one thread.
///
/// An element is a name or an index, then one value. The value at the root needs neither.
final class BsonSink {
    /// Levels of documents and arrays, as MongoDB's manual limits them ("Nested Depth for BSON Documents").
    static final int MAX_DEPTH = 100;

    /// Bytes of a document, as MongoDB's manual limits them ("BSON Document Size").
    static final int MAX_DOCUMENT = 16 * 1024 * 1024;

    /// Where the root value is: after the length, type and empty name of a document around it.
    static final int ROOT = 6;

    final BsonBuffer out;
    private final RepeatedNames names = new RepeatedNames();
    private long limit;

    private int typeAt = 4;
    private int depth;
    private int[] starts = new int[8];
    /// By depth: the next index if an array is open there, -1 if a document is.
    private int[] indexes = new int[8];

    /// @param text how long the text is that becomes BSON, which sets the buffer's size
    /// @param limit bytes of an array at the root, which may hold documents of their own
    BsonSink(int text, long limit) {
        out = new BsonBuffer(ROOT + text + text / 4 + 32);
        out.length = ROOT;
        this.limit = limit;
    }

    /// Completes the value as a document with one field whose name is empty.
    void finish() {
        out.put((byte) 0);
        out.fill(0, out.length);
    }

    byte rootType() {
        return out.bytes[4];
    }

    void beginDocument() {
        if (depth == 0) {
            limit = ROOT + MAX_DOCUMENT;
        }
        type(BsonTypes.DOCUMENT);
        enter(-1);
        names.enter();
    }

    void beginArray() {
        type(BsonTypes.ARRAY);
        enter(0);
    }

    private void enter(int index) {
        if (depth == MAX_DEPTH) {
            throw new MalformedJsonException("documents and arrays are nested deeper than " + MAX_DEPTH + " levels");
        }
        if (depth == starts.length) {
            starts = Arrays.copyOf(starts, 2 * depth);
            indexes = Arrays.copyOf(indexes, 2 * depth);
        }
        indexes[depth] = index;
        starts[depth++] = out.gap();
    }

    /// Ends the innermost document or array.
    void end() {
        out.put((byte) 0);
        int start = starts[--depth];
        out.fill(start, out.length - start);
        if (indexes[depth] < 0) {
            if (names.leave()) {
                RepeatedNames.remove(out, start);
            }
            if (out.length - start > MAX_DOCUMENT) {
                throw tooLarge("a document", MAX_DOCUMENT);
            }
        }
    }

    /// Returns where the name's UTF-8 bytes begin, to be passed to [#endName].
    int beginName() {
        reserveType();
        return out.length;
    }

    /// Ends the name where the output ends; it must not have a zero byte.
    ///
    /// @param start the result of [#beginName]
    void endName(int start) {
        names.add(out, start);
        out.put((byte) 0);
    }

    void name(String name) {
        int start = beginName();
        addCstring(name);
        out.length--;
        endName(start);
    }

    /// In an array, where documents have names.
    void nextIndex() {
        reserveType();
        int index = indexes[depth - 1]++;
        if (index < 10) {
            out.put((byte) ('0' + index));
        } else {
            out.addDecimal(index);
        }
        out.put((byte) 0);
    }

    private void reserveType() {
        if (out.length > limit) {
            throw limit > ROOT + MAX_DOCUMENT ? tooLarge("the value", limit) : tooLarge("a document", MAX_DOCUMENT);
        }
        typeAt = out.length;
        out.put((byte) 0);
    }

    private static MalformedJsonException tooLarge(String what, long limit) {
        return new MalformedJsonException(what + " is larger than " + limit + " bytes of BSON");
    }

    /// To be followed by the bytes of a value of that type.
    void type(byte type) {
        out.bytes[typeAt] = type;
    }

    void bool(boolean value) {
        type(BsonTypes.BOOLEAN);
        out.put((byte) (value ? 1 : 0));
    }

    void int32(int value) {
        type(BsonTypes.INT32);
        out.int32(value);
    }

    void int64(long value) {
        type(BsonTypes.INT64);
        out.int64(value);
    }

    /// An int32 if it fits.
    void integer(long value) {
        if (value == (int) value) {
            int32((int) value);
        } else {
            int64(value);
        }
    }

    void float64(double value) {
        type(BsonTypes.DOUBLE);
        out.int64(Double.doubleToRawLongBits(value));
    }

    void date(long millis) {
        type(BsonTypes.DATE);
        out.int64(millis);
    }

    void timestamp(long value) {
        type(BsonTypes.TIMESTAMP);
        out.int64(value);
    }

    void decimal128(Decimal128 value) {
        type(BsonTypes.DECIMAL128);
        out.int64(value.getLow());
        out.int64(value.getHigh());
    }

    /// @param id twelve bytes
    void objectId(byte[] id) {
        type(BsonTypes.OBJECT_ID);
        out.put(id, 0, 12);
    }

    void binary(byte subtype, byte[] data) {
        type(BsonTypes.BINARY);
        boolean repeatsLength = subtype == 2;
        out.int32(repeatsLength ? data.length + 4 : data.length);
        out.put(subtype);
        if (repeatsLength) {
            out.int32(data.length);
        }
        out.put(data, 0, data.length);
    }

    /// @param type string, code or symbol
    void text(byte type, String text) {
        type(type);
        addString(text);
    }

    void regex(String pattern, String options) {
        type(BsonTypes.REGEX);
        addCstring(pattern);
        addCstring(options);
    }

    void dbPointer(String namespace, byte[] id) {
        type(BsonTypes.DB_POINTER);
        addString(namespace);
        out.put(id, 0, 12);
    }

    /// The scope's fields and [#end] follow, then [#endCodeWithScope].
    ///
    /// @return the argument for [#endCodeWithScope]
    int beginCodeWithScope(String code) {
        type(BsonTypes.CODE_WITH_SCOPE);
        int gap = out.gap();
        addString(code);
        enter(-1);
        names.enter();
        return gap;
    }

    void endCodeWithScope(int gap) {
        out.fill(gap, out.length - gap);
    }

    private void addString(String text) {
        int gap = out.gap();
        addUtf8(text);
        out.put((byte) 0);
        out.fill(gap, out.length - gap - 4);
    }

    private void addCstring(String text) {
        if (text.indexOf(0) >= 0) {
            throw new MalformedJsonException("a field name or regular expression contains the character U+0000");
        }
        addUtf8(text);
        out.put((byte) 0);
    }

    private void addUtf8(String text) {
        if (JsonStrings.hasLoneSurrogate(text)) {
            throw new MalformedJsonException("a string contains half a surrogate pair");
        }
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        out.put(utf8, 0, utf8.length);
    }

    /// Notices when a document may have a name twice, by 64-bit hashes of the names of all documents that
    /// are open. A false alarm (different names, one hash) costs time and nothing else. Confined to one
    /// thread.
    private static final class RepeatedNames {
        /// Up to this number of names are compared as they are added; more are sorted at the end of the
        /// document.
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

        /// Removes repeated names from a document: the last value is kept at the position of the first, as
        /// in a `LinkedHashMap`.
        ///
        /// @param start where the document begins that ends where the bytes end; it gets shorter if names
        ///     repeat
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
}
