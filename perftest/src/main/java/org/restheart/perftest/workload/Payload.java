package org.restheart.perftest.workload;

import java.util.SplittableRandom;
import org.bson.Document;

/// The documents that are written: a number, one of a hundred groups, and a text in lower-case ASCII.
public final class Payload {
    private Payload() {}

    /// The fields of one document.
    ///
    /// @param i the document's number; documents of equal numbers and lengths are equal
    public static Document document(long i, int textLength) {
        return new Document("n", i).append("group", "g" + i % 100).append("text", text(i, textLength));
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
