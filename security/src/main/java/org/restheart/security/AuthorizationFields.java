package org.restheart.security;

import java.util.HashSet;
import java.util.Locale;
import org.restheart.http.Headers;

/// Bounds on the `Authorization` field, checked before any mechanism reads it.
final class AuthorizationFields {
    private static final int MAX_LENGTH = 8_192;

    private AuthorizationFields() {}

    /// Whether the credentials are refused unread: too long, with control characters, or two of one scheme.
    static boolean areUnacceptable(Headers headers) {
        var lines = headers.all("Authorization");
        for (var line : lines) {
            if (line.length() > MAX_LENGTH || hasControlCharacter(line)) {
                return true;
            }
        }
        if (lines.size() > 1) {
            var schemes = new HashSet<String>();
            return lines.stream().anyMatch(line -> !schemes.add(scheme(line)));
        }
        return false;
    }

    private static boolean hasControlCharacter(String line) {
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if ((c < ' ' && c != '\t') || c == 0x7f) {
                return true;
            }
        }
        return false;
    }

    private static String scheme(String line) {
        int blank = line.indexOf(' ');
        return (blank < 0 ? line : line.substring(0, blank)).toLowerCase(Locale.ROOT);
    }
}
