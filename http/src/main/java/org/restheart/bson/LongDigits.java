package org.restheart.bson;

import java.util.List;
import org.bson.types.Decimal128;

/// Refuses numbers with too many digits. Of decimal numbers the driver's parser takes quadratic time, so that one
/// request could occupy a core for hours; others are rounded or too large in any case.
public final class LongDigits {
    /// More than any decimal128 needs to be written; quick even if a whole request consists of such numbers.
    static final int MAX = 1000;

    private static final List<String> MAKERS = List.of("umberDecimal", "umberDouble", "umberLong", "umberInt");

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

    /// @throws MalformedJsonException if they are more than [#MAX]
    static void requireFew(int digits) {
        if (digits > MAX) {
            throw new MalformedJsonException("a number has more than " + MAX + " digits");
        }
    }

    /// @throws MalformedJsonException if the text has a number of more than [#MAX] digits, or may have one in quotes
    static void refuse(String text) {
        requireFew(longestNumber(text));
        if (mayHaveNumbers(text)) {
            requireFew(longestRun(text));
        }
    }

    /// Digits in a row that stand in no quotes.
    private static int longestNumber(String text) {
        int longest = 0;
        int run = 0;
        char quote = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            run = quote == 0 && Character.isDigit(c) ? run + 1 : 0;
            longest = Math.max(longest, run);
            if (quote != 0 && c == '\\') {
                i++;
            } else if (c == quote) {
                quote = 0;
            } else if (quote == 0 && (c == '"' || c == '\'')) {
                quote = c;
            }
        }
        return longest;
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

    /// `NumberDecimal`, `$numberLong` and the like, with any letter of that escaped; the text has no `Decimal128` any
    /// more, as `mongosh` writes it.
    private static boolean mayHaveNumbers(String text) {
        return MAKERS.stream().anyMatch(text::contains) || text.contains("\\u00");
    }
}
