package org.restheart.security.password;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.restheart.http.Headers;

/// The parameters of an `Authorization: Digest` field (RFC 2617, 3.2.2).
record DigestCredentials(Map<String, String> parameters) {
    private static final String SCHEME = "Digest ";
    private static final Pattern PARAMETER =
            Pattern.compile("\\G\\s*([a-z]+)\\s*=\\s*(?:\"((?:[^\"\\\\]|\\\\.)*+)\"|([^\\s,\"]*))\\s*(?:,|$)");

    /// Empty if the first `Authorization` field is of another kind; without parameters if it does not parse.
    static Optional<DigestCredentials> find(Headers headers) {
        return headers.first("Authorization")
                .filter(field -> field.startsWith(SCHEME))
                .map(field -> parse(field.substring(SCHEME.length())));
    }

    private static DigestCredentials parse(String text) {
        var parameters = new HashMap<String, String>();
        var matcher = PARAMETER.matcher(text);
        int end = 0;
        while (end < text.length() && matcher.find()) {
            var quoted = matcher.group(2);
            parameters.put(matcher.group(1), quoted == null ? matcher.group(3) : quoted.replaceAll("\\\\(.)", "$1"));
            end = matcher.end();
        }
        return new DigestCredentials(end == text.length() ? parameters : Map.of());
    }

    String get(String name) {
        return parameters.getOrDefault(name, "");
    }

    boolean has(String name) {
        return parameters.containsKey(name);
    }

    @Override
    public String toString() {
        return "DigestCredentials[" + get("username") + "]";
    }
}
