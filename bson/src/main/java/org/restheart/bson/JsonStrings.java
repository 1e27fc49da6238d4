package org.restheart.bson;

import java.nio.charset.StandardCharsets;

/// Writes strings in quotes, copying runs of bytes and escaping only what has to be.
final class JsonStrings {
    /// A character as two halves of a surrogate pair.
    private static final int LONGEST_ESCAPE = 12;

    /// Two quotes, an escape, and what [Utf8#copy] writes beyond the text.
    private static final int SLACK = 2 + LONGEST_ESCAPE + 8;

    private JsonStrings() {}

    /// @param in UTF-8; what is not shows as U+FFFD, as Java decodes it
    static void quote(byte[] in, int from, int to, Utf8Buffer out) {
        int start = out.length;
        int at = out.room(to - from + SLACK);
        out.bytes[at++] = '"';
        int run = from;
        int i = Utf8.plainEnd(in, from, to);
        while (i < to) {
            int c = in[i];
            int size = 1;
            if (c < 0) {
                c = Utf8.codePoint(in, i, to);
                if (c < 0) {
                    out.length = start;
                    quote(new String(in, from, to - from, StandardCharsets.UTF_8), out);
                    return;
                }
                size = Utf8.size(c);
            }
            if (size == 1 || size == 4 || !Printable.is(c)) {
                at = Utf8.copy(in, run, i, out.bytes, at);
                at = escape(c, out.bytes, at);
                i += size;
                run = i;
                out.length = at;
                out.room(to - i + SLACK);
            } else {
                i += size;
            }
            if (i < to && in[i] >= 0) {
                i = Utf8.plainEnd(in, i, to);
            }
        }
        at = Utf8.copy(in, run, to, out.bytes, at);
        out.bytes[at] = '"';
        out.length = at + 1;
    }

    static void quote(String text, Utf8Buffer out) {
        if (!hasLoneSurrogate(text)) {
            byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
            quote(utf8, 0, utf8.length, out);
            return;
        }
        out.put('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\' || !Printable.is(c)) {
                escape(c, out);
            } else {
                out.text(String.valueOf(c));
            }
        }
        out.put('"');
    }

    /// True if the text is not Unicode: UTF-8 has no bytes for half a surrogate pair.
    static boolean hasLoneSurrogate(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isSurrogate(c)) {
                if (Character.isLowSurrogate(c)
                        || i + 1 == text.length()
                        || !Character.isLowSurrogate(text.charAt(i + 1))) {
                    return true;
                }
                i++;
            }
        }
        return false;
    }

    private static void escape(int c, Utf8Buffer out) {
        int at = out.room(LONGEST_ESCAPE);
        out.length = escape(c, out.bytes, at);
    }

    /// @return where the escape ends
    private static int escape(int c, byte[] out, int at) {
        return switch (c) {
            case '"', '\\' -> escape((char) c, out, at);
            case '\b' -> escape('b', out, at);
            case '\f' -> escape('f', out, at);
            case '\n' -> escape('n', out, at);
            case '\r' -> escape('r', out, at);
            case '\t' -> escape('t', out, at);
            default ->
                c > 0xffff
                        ? unicode(Character.lowSurrogate(c), out, unicode(Character.highSurrogate(c), out, at))
                        : unicode((char) c, out, at);
        };
    }

    private static int escape(char letter, byte[] out, int at) {
        out[at] = '\\';
        out[at + 1] = (byte) letter;
        return at + 2;
    }

    private static int unicode(char c, byte[] out, int at) {
        out[at] = '\\';
        out[at + 1] = 'u';
        out[at + 2] = Utf8Buffer.HEX[c >> 12];
        out[at + 3] = Utf8Buffer.HEX[c >> 8 & 15];
        out[at + 4] = Utf8Buffer.HEX[c >> 4 & 15];
        out[at + 5] = Utf8Buffer.HEX[c & 15];
        return at + 6;
    }

    /// Which characters stand for themselves in JSON text. All others are escaped, among them control and format
    /// characters, combining marks, line separators, private and unassigned ones, and both halves of a surrogate
    /// pair.
    private static final class Printable {
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
                case Character.UNASSIGNED,
                        Character.MODIFIER_LETTER,
                        Character.NON_SPACING_MARK,
                        Character.ENCLOSING_MARK,
                        Character.COMBINING_SPACING_MARK,
                        Character.LINE_SEPARATOR,
                        Character.PARAGRAPH_SEPARATOR,
                        Character.CONTROL,
                        Character.FORMAT,
                        Character.PRIVATE_USE,
                        Character.SURROGATE -> false;
                default -> true;
            };
        }
    }
}
