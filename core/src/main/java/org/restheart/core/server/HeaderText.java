package org.restheart.core.server;

import java.nio.charset.StandardCharsets;

/// Encodes any text as a header value. Undertow writes the low byte of each character: unprotected, a character like
/// U+010A would end the header line.
final class HeaderText {
    private HeaderText() {}

    /// Printable ASCII as it is; other characters as their UTF-8 bytes; control characters as spaces.
    static String of(String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c < 0x20 || c >= 0x7f) {
                return encoded(value);
            }
        }
        return value;
    }

    private static String encoded(String value) {
        var bytes = value.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < bytes.length; i++) {
            if ((bytes[i] >= 0 && bytes[i] < 0x20 && bytes[i] != '\t') || bytes[i] == 0x7f) {
                bytes[i] = ' ';
            }
        }
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
