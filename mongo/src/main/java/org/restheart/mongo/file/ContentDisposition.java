package org.restheart.mongo.file;

import java.nio.charset.StandardCharsets;

/// `Content-Disposition` with a name that clients chose (RFC 6266, RFC 8187).
final class ContentDisposition {
    private static final String UNRESERVED =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$&+-.^_`|~";
    private static final int MAX_LENGTH = 255;

    private ContentDisposition() {}

    /// Names with characters beyond ASCII are sent in both forms. Path separators and delimiters are replaced.
    static String inline(String name) {
        var safe = safe(name);
        var ascii = new StringBuilder();
        safe.codePoints().forEach(c -> ascii.append(c > '~' || c == '"' || c == '%' ? '_' : (char) c));
        var value = "inline; filename=\"" + ascii + "\"";
        return ascii.toString().equals(safe) ? value : value + "; filename*=UTF-8''" + encoded(safe);
    }

    private static String safe(String name) {
        var safe = new StringBuilder();
        name.codePoints().limit(MAX_LENGTH).forEach(c -> {
            boolean harmful = c == '/'
                    || c == '\\'
                    || Character.isISOControl(c)
                    || Character.getType(c) == Character.FORMAT // such as a change of direction, which hides extensions
                    || Character.getType(c) == Character.SURROGATE
                    || Character.getType(c) == Character.LINE_SEPARATOR
                    || Character.getType(c) == Character.PARAGRAPH_SEPARATOR;
            safe.appendCodePoint(harmful ? '_' : c);
        });
        return safe.isEmpty() ? "file" : safe.toString();
    }

    private static String encoded(String text) {
        var encoded = new StringBuilder();
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            if (b > 0 && UNRESERVED.indexOf(b) >= 0) {
                encoded.append((char) b);
            } else {
                encoded.append("%%%02X".formatted(b & 0xff));
            }
        }
        return encoded.toString();
    }
}
