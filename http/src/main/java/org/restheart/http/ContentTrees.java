package org.restheart.http;

import java.util.HexFormat;
import org.bson.BsonValue;
import org.restheart.bson.TreeSizes;

/// Admits the trees of objects that are made of what a client sends, which take many times the memory of its bytes:
/// their values are counted before there is any of them.
public final class ContentTrees {
    public static final int MAX_VALUES = 100_000;

    /// Bytes for each value, about: a document with one field takes 200, a number 20.
    private static final long VALUE = 200;

    // The same for texts of which the brackets and marks are known: an array, what follows a colon, and a comma.
    private static final long ARRAY = 60;
    private static final long MEMBER = 100;
    private static final long ELEMENT = 30;

    /// What everyday content has is not worth the counting.
    private static final int FEW = 64;

    private ContentTrees() {}

    /// What the tree of a text takes, in bytes, if it is JSON, which may be percent-encoded; 0 for everyday texts.
    public static long weight(String text) {
        if (text.length() <= FEW) {
            return 0;
        }
        long weight = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '%' && i + 2 < text.length()) {
                c = (char) (digit(text.charAt(i + 1)) << 4 | digit(text.charAt(i + 2)));
            }
            weight += switch (c) {
                case '{' -> VALUE;
                case ':' -> MEMBER;
                case '[' -> ARRAY;
                case ',' -> ELEMENT;
                default -> 0;
            };
        }
        return weight > FEW * VALUE ? weight : 0;
    }

    private static int digit(char c) {
        return HexFormat.isHexDigit(c) ? HexFormat.fromHexDigit(c) : -1;
    }

    /// Charges a tree to the caller of the request.
    ///
    /// @throws ProblemException 413 beyond [#MAX_VALUES], and as [Body#holdTrees]
    public static void admit(Body body, long values) {
        if (values > MAX_VALUES) {
            throw new ProblemException(
                    ProblemCode.CONTENT_TOO_LARGE,
                    "the content must not have more than about " + MAX_VALUES + " values here");
        }
        hold(body, values);
    }

    /// Charges a tree of any number of values to the caller of the request.
    public static void hold(Body body, long values) {
        charge(body, values * VALUE);
    }

    /// Charges the tree of a value that is still encoded.
    public static void hold(Body body, BsonValue value) {
        charge(body, TreeSizes.of(value));
    }

    private static void charge(Body body, long bytes) {
        if (bytes > FEW * VALUE) {
            body.holdTrees(bytes);
        }
    }

    /// What the tree of a value takes, in bytes; 0 for everyday documents.
    public static long weight(BsonValue value) {
        long bytes = TreeSizes.of(value);
        return bytes > FEW * VALUE ? bytes : 0;
    }
}
