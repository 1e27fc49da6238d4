package org.restheart.http;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/// Percent-encoding of URIs (RFC 3986, 2.1) in UTF-8. Decoding is strict: a `%` without two digits, or bytes that
/// are not UTF-8, are refused, so that no two parts of the server decode a text differently.
public final class PercentCoding {
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private PercentCoding() {}

    /// @param plusIsSpace as in query strings (`application/x-www-form-urlencoded`)
    /// @throws ProblemException 400
    static String decode(String text, boolean plusIsSpace) {
        if (text.indexOf('%') < 0 && (!plusIsSpace || text.indexOf('+') < 0)) {
            return text;
        }
        var bytes = ByteBuffer.allocate(text.length() * 3);
        for (int i = 0; i < text.length(); ) {
            char c = text.charAt(i);
            if (c == '%') {
                bytes.put((byte) (digit(text, i + 1) << 4 | digit(text, i + 2)));
                i += 3;
            } else if (c == '+' && plusIsSpace) {
                bytes.put((byte) ' ');
                i++;
            } else if (c < 0x80) {
                bytes.put((byte) c);
                i++;
            } else {
                int end = i + (Character.isHighSurrogate(c) && i + 1 < text.length() ? 2 : 1);
                bytes.put(text.substring(i, end).getBytes(StandardCharsets.UTF_8));
                i = end;
            }
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString();
        } catch (CharacterCodingException _) {
            throw new ProblemException(ProblemCode.BAD_REQUEST, "percent-encoded bytes are not UTF-8");
        }
    }

    /// Leaves the unreserved characters of RFC 3986, 2.3, as they are.
    ///
    /// @param others that stay as they are, of ASCII
    public static String encode(String text, String others) {
        var encoded = new StringBuilder(text.length() + 16);
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            if (isUnreserved(b) || others.indexOf(b) >= 0) {
                encoded.append((char) b);
            } else {
                encoded.append('%').append(HEX.toHexDigits(b));
            }
        }
        return encoded.toString();
    }

    private static boolean isUnreserved(byte b) {
        return (b >= 'a' && b <= 'z')
                || (b >= 'A' && b <= 'Z')
                || (b >= '0' && b <= '9')
                || b == '-'
                || b == '.'
                || b == '_'
                || b == '~';
    }

    private static int digit(String text, int at) {
        if (at >= text.length() || !HexFormat.isHexDigit(text.charAt(at))) {
            throw new ProblemException(ProblemCode.BAD_REQUEST, "% is not followed by two hexadecimal digits");
        }
        return HexFormat.fromHexDigit(text.charAt(at));
    }
}
