package org.restheart.bson;

import org.bson.types.Decimal128;

/// Refuses decimal numbers with too many digits: the driver's parser takes quadratic time, so that one request could
/// occupy a core for hours.
public final class LongDigits {
    /// More than any decimal128 needs to be written; quick even if a whole request consists of such numbers.
    static final int MAX = 1000;

    private LongDigits() {}

    /// The number of a text from outside.
    ///
    /// @throws NumberFormatException also if it has more than [#MAX] characters, or an exponent out of range
    public static Decimal128 decimal128(String text) {
        if (text.length() > MAX) {
            throw new NumberFormatException("a number has more than " + MAX + " characters");
        }
        try {
            return Decimal128.parse(text);
        } catch (AssertionError _) { // some exponents out of range are asserted
            throw new NumberFormatException("the exponent is out of range");
        }
    }

    /// @throws MalformedJsonException if the text may have a decimal number of more than [#MAX] digits
    static void refuse(String text) {
        if (longestRun(text) > MAX && mayHaveDecimals(text)) {
            throw new MalformedJsonException("a number has more than " + MAX + " digits");
        }
    }

    private static int longestRun(String text) {
        int longest = 0;
        int run = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            // Digits of any script count, and may be written as \\u0039.
            run = Character.isDigit(c) || c == '\\' || c == 'u' ? run + 1 : 0;
            longest = Math.max(longest, run);
        }
        return longest;
    }

    /// `NumberDecimal` or `$numberDecimal`, with any letter of that escaped.
    private static boolean mayHaveDecimals(String text) {
        return text.contains("umberDecimal") || text.contains("\\u00");
    }
}
