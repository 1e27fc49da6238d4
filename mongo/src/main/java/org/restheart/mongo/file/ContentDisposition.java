package org.restheart.mongo.file;

import org.restheart.http.PercentCoding;

/// `Content-Disposition` with a name that clients chose (RFC 6266, RFC 8187).
final class ContentDisposition {
    /// Further characters that may stand in `filename*` (RFC 8187, 3.2.1).
    private static final String ATTRIBUTE = "!#$&+^`|";

    private static final int MAX_LENGTH = 255;

    private ContentDisposition() {}

    /// Names with characters beyond ASCII are sent in both forms. Path separators and delimiters are replaced.
    static String inline(String name) {
        var safe = safe(name);
        var ascii = new StringBuilder();
        safe.codePoints().forEach(c -> ascii.append(c > '~' || c == '"' || c == '%' ? '_' : (char) c));
        var value = "inline; filename=\"" + ascii + "\"";
        return ascii.toString().equals(safe)
                ? value
                : value + "; filename*=UTF-8''" + PercentCoding.encode(safe, ATTRIBUTE);
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
}
