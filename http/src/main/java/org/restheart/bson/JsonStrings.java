package org.restheart.bson;

import java.nio.charset.StandardCharsets;

/// Writes strings in quotes, copying runs of bytes and escaping only what has to be.
final class JsonStrings {
    private JsonStrings() {}

    /// @param in UTF-8; what is not shows as U+FFFD, as Java decodes it
    static void quote(byte[] in, int from, int to, Utf8Buffer out) {
        int start = out.room(to - from + 2);
        out.add((byte) '"');
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
            if (size < 4 && Printable.is(c) && c != '"' && c != '\\') {
                i += size;
            } else {
                out.add(in, run, i);
                escape(c, out);
                i += size;
                run = i;
            }
            if (i < to && in[i] >= 0) {
                i = Utf8.plainEnd(in, i, to);
            }
        }
        out.add(in, run, to);
        out.add((byte) '"');
    }

    static void quote(String text, Utf8Buffer out) {
        if (!hasLoneSurrogate(text)) {
            byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
            quote(utf8, 0, utf8.length, out);
            return;
        }
        out.add((byte) '"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\' || !Printable.is(c)) {
                escape(c, out);
            } else {
                out.text(String.valueOf(c));
            }
        }
        out.add((byte) '"');
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
        switch (c) {
            case '"' -> out.addAscii("\\\"");
            case '\\' -> out.addAscii("\\\\");
            case '\b' -> out.addAscii("\\b");
            case '\f' -> out.addAscii("\\f");
            case '\n' -> out.addAscii("\\n");
            case '\r' -> out.addAscii("\\r");
            case '\t' -> out.addAscii("\\t");
            default -> {
                if (c > 0xffff) {
                    unicode(Character.highSurrogate(c), out);
                    unicode(Character.lowSurrogate(c), out);
                } else {
                    unicode((char) c, out);
                }
            }
        }
    }

    private static void unicode(char c, Utf8Buffer out) {
        int at = out.room(6);
        byte[] bytes = out.bytes;
        bytes[at] = '\\';
        bytes[at + 1] = 'u';
        bytes[at + 2] = Utf8Buffer.HEX[c >> 12];
        bytes[at + 3] = Utf8Buffer.HEX[c >> 8 & 15];
        bytes[at + 4] = Utf8Buffer.HEX[c >> 4 & 15];
        bytes[at + 5] = Utf8Buffer.HEX[c & 15];
        out.length = at + 6;
    }
}
