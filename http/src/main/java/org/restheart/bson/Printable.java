package org.restheart.bson;

/// Which characters stand for themselves in JSON text. All others are escaped, among them control and format
/// characters, combining marks, line separators, private and unassigned ones, and both halves of a surrogate pair.
final class Printable {
    /// One bit per character of the basic multilingual plane; calling [Character] for each character is slow.
    private static final long[] BITS = bits();

    private Printable() {}

    /// @param c up to U+FFFF
    static boolean is(int c) {
        return (BITS[c >> 6] >> c & 1) != 0;
    }

    private static long[] bits() {
        var bits = new long[0x10000 >> 6];
        for (int c = 0; c <= 0xffff; c++) {
            if (isPrintable((char) c)) {
                bits[c >> 6] |= 1L << c;
            }
        }
        return bits;
    }

    private static boolean isPrintable(char c) {
        return switch (Character.getType(c)) {
            case Character.UPPERCASE_LETTER,
                    Character.LOWERCASE_LETTER,
                    Character.TITLECASE_LETTER,
                    Character.OTHER_LETTER,
                    Character.DECIMAL_DIGIT_NUMBER,
                    Character.LETTER_NUMBER,
                    Character.OTHER_NUMBER,
                    Character.SPACE_SEPARATOR,
                    Character.CONNECTOR_PUNCTUATION,
                    Character.DASH_PUNCTUATION,
                    Character.START_PUNCTUATION,
                    Character.END_PUNCTUATION,
                    Character.INITIAL_QUOTE_PUNCTUATION,
                    Character.FINAL_QUOTE_PUNCTUATION,
                    Character.OTHER_PUNCTUATION,
                    Character.MATH_SYMBOL,
                    Character.CURRENCY_SYMBOL,
                    Character.MODIFIER_SYMBOL,
                    Character.OTHER_SYMBOL -> true;
            default -> false;
        };
    }
}
