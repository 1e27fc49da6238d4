package org.restheart.bson;

import java.nio.charset.StandardCharsets;

/// What may follow a document or an array in a text, besides blanks.
enum Tail {
    /// Nothing.
    BLANK,

    /// What cannot be a part of the data: a word, a comma, one brace too many.
    WITHOUT_DATA;

    /// @param end the index behind the value
    /// @throws MalformedJsonException if what follows may not, or is not UTF-8
    void check(byte[] utf8, int end) {
        for (int i = end; i < utf8.length; i++) {
            if (!StrictJson.isBlank(utf8[i])) {
                check(DriverJson.decode(utf8), new String(utf8, 0, end, StandardCharsets.UTF_8).length());
                return;
            }
        }
    }

    /// @param end the index behind the value
    /// @throws MalformedJsonException if what follows may not
    void check(String text, int end) {
        int start = end;
        while (start < text.length() && Character.isWhitespace(text.charAt(start))) {
            start++;
        }
        if (start < text.length() && (this == BLANK || holdsData(text, start))) {
            throw MalformedJsonException.afterTheEnd(StopPosition.at(text, start + 1));
        }
    }

    private static boolean holdsData(String text, int start) {
        return text.substring(start).chars().anyMatch(c -> c == '{' || c == '[' || c == ':');
    }
}
