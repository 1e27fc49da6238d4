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

    /// Looks at digits that stand in no quotes, and at those in quotes of which something before says
    /// that they may be a number.
    ///
    /// @throws MalformedJsonException if more than [#MAX] of them are in a row
    static void refuse(String text) {
        char quote = 0;
        boolean isSaid = false; // since the last bracket or comma
        boolean counts = true;
        int run = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            // digits of any script count, and may be written as \\u0039
            run = counts && (Character.isDigit(c) || (quote != 0 && (c == '\\' || c == 'u'))) ? run + 1 : 0;
            requireFew(run);
            isSaid = isSaid || saysNumber(text, i);
            if (quote != 0 && c == '\\') {
                i++;
            } else if (c == quote) {
                quote = 0;
                counts = true;
            } else if (quote == 0) {
                switch (c) {
                    case '"', '\'', '/' -> { // or a regular expression
                        quote = c;
                        counts = isSaid;
                    }
                    case '{', '[', ',' -> isSaid = false;
                    default -> {}
                }
            }
        }
    }

    /// `NumberDecimal`, `$numberLong` and the like, with any letter of that escaped; the text has no `Decimal128` any
    /// more, as `mongosh` writes it.
    private static boolean saysNumber(String text, int at) {
        return switch (text.charAt(at)) {
            case 'u' -> MAKERS.stream().anyMatch(maker -> text.startsWith(maker, at));
            case '\\' -> text.startsWith("\\u00", at);
            default -> false;
        };
    }
}
