package org.restheart.core.observation;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.restheart.core.logging.LogEncoders;
import org.restheart.http.SecretValues;
import org.restheart.http.Words;

/// Sanitizes text of clients for the log: one line, without secrets.
final class LogText {
    static final String MASK = SecretValues.MASK;
    private static final Set<String> SECRET_WORDS =
            Set.of("password", "passwd", "pwd", "token", "secret", "key", "apikey", "code");

    /// Between `access` and `Token`, `api` and `_key`.
    private static final Pattern WORD_BOUNDARY = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+");

    /// Frequent parameters, whose names need not be analysed.
    private static final Set<String> HARMLESS =
            Words.of("page pagesize filter keys sort count np rep hint avars wm hal cache jsonMode eager");

    /// The longest path, query or header that is logged whole, in characters.
    private static final int MAX_LENGTH = 2_000;

    private LogText() {}

    static String bounded(String text) {
        return text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH) + "… (" + text.length() + ")";
    }

    /// The text with control characters and other line breaks escaped.
    static String oneLine(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (LogEncoders.isControl(text.charAt(i))) {
                return escaped(text);
            }
        }
        return text;
    }

    private static String escaped(String text) {
        var escaped = new StringBuilder(text.length() + 16);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            escaped.append(LogEncoders.isControl(c) ? LogEncoders.escaped(c) : String.valueOf(c));
        }
        return escaped.toString();
    }

    /// A query string as sent, but without the values of parameters that are named like secrets.
    static String maskedQuery(String query) {
        if (query.isEmpty()) {
            return query;
        }
        var masked = new StringBuilder(query.length());
        for (var parameter : query.split("&", -1)) {
            int equals = parameter.indexOf('=');
            boolean named = equals > 0 && isSecret(parameter.substring(0, equals));
            boolean secret = named || SecretValues.containsKey(parameter);
            masked.append(masked.isEmpty() ? "" : "&")
                    .append(secret ? SecretValues.masked(parameter.substring(0, equals + 1)) + MASK : parameter);
        }
        return bounded(oneLine(masked.toString()));
    }

    /// Whether a parameter's name contains a word for a secret: `access_token`, `apiKey`, but not `keys`.
    private static boolean isSecret(String encodedName) {
        return !HARMLESS.contains(encodedName)
                && WORD_BOUNDARY
                        .splitAsStream(decoded(encodedName))
                        .anyMatch(word -> SECRET_WORDS.contains(word.toLowerCase(Locale.ROOT)));
    }

    /// A path as sent, unless it contains an API key.
    static String maskedPath(String path) {
        return bounded(oneLine(SecretValues.masked(path)));
    }

    private static String decoded(String name) {
        try {
            return URLDecoder.decode(name, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException _) { // a request that was refused because of it
            return name;
        }
    }

    /// A header as it may be logged: credentials are masked, also in headers of the operator's own, such as
    /// `X-Api-Key`, and in the queries of URIs, and API keys wherever they are.
    static String maskedHeader(String name, String value) {
        return SecretValues.containsKey(value)
                ? MASK
                : switch (name.toLowerCase(Locale.ROOT)) {
                    case "authorization", "proxy-authorization", "cookie", "set-cookie", "email", "jwttokenstring" ->
                        MASK;
                    case "referer", "location", "content-location" -> maskedUri(value);
                    default -> isSecret(name) ? MASK : bounded(oneLine(value));
                };
    }

    private static String maskedUri(String uri) {
        int query = uri.indexOf('?');
        return query < 0
                ? bounded(oneLine(uri))
                : bounded(oneLine(uri.substring(0, query))) + "?" + maskedQuery(uri.substring(query + 1));
    }
}
