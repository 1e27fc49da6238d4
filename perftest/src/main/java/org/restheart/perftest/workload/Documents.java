package org.restheart.perftest.workload;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.bson.Document;
import org.bson.types.ObjectId;

/// The documents that are read and written. Their ids can be computed by anyone, so that no list has to be kept or
/// shipped.
public final class Documents {
    private static final long PREFIX = 0x6800_0000_5eed_0001L;
    private static final int YCSB_FIELDS = 10;

    private Documents() {}

    /// The i-th id, counted from 0; ids grow with i.
    public static ObjectId id(int i) {
        return new ObjectId(ByteBuffer.allocate(12).putLong(PREFIX).putInt(i).array());
    }

    /// The fields of one document but for its id: a number, one of a hundred groups, and a text in lower-case ASCII.
    ///
    /// @param i the document's number; documents of equal numbers and lengths are equal
    public static Document fields(long i, int textLength) {
        return new Document("n", i).append("group", "g" + i % 100).append("text", text(i, textLength));
    }

    /// The ten fields that YCSB's documents have.
    public static Document ycsb(long i) {
        var document = new Document();
        for (int field = 0; field < YCSB_FIELDS; field++) {
            document.append("field" + field, text(i * YCSB_FIELDS + field, Operation.Ycsb.FIELD_BYTES));
        }
        return document;
    }

    private static String text(long seed, int length) {
        var random = new SplittableRandom(seed);
        var text = new StringBuilder(length);
        while (text.length() < length) {
            text.append(random.nextInt(6) == 0 ? ' ' : (char) ('a' + random.nextInt(26)));
        }
        return text.toString();
    }
}
