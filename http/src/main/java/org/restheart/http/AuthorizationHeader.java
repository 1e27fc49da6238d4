package org.restheart.http;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// A line of the header `Authorization`: a scheme and credentials (RFC 9110, 11.6.2).
public record AuthorizationHeader(String line) {
    public static final String BASIC = "Basic";

    public static final String BEARER = "Bearer";

    public static final String DIGEST = "Digest";

    private static final String NAME = "Authorization";

    public static boolean isIn(Headers headers) {
        return headers.has(NAME);
    }

    /// The first line of a request.
    public static Optional<AuthorizationHeader> of(Headers headers) {
        return headers.first(NAME).map(AuthorizationHeader::new);
    }

    public static List<AuthorizationHeader> all(Headers headers) {
        var lines = headers.all(NAME);
        return switch (lines.size()) { // without a stream, since each request asks several times
            case 0 -> List.of();
            case 1 -> List.of(new AuthorizationHeader(lines.getFirst()));
            default -> lines.stream().map(AuthorizationHeader::new).toList();
        };
    }

    /// The first line of HTTP Basic.
    public static Optional<AuthorizationHeader> ofBasic(Headers headers) {
        for (var sent : all(headers)) {
            if (sent.has(BASIC)) {
                return Optional.of(sent);
            }
        }
        return Optional.empty();
    }

    /// A name and a password (RFC 7617, 2).
    public record BasicCredentials(String name, String password) {
        @Override
        public String toString() {
            return "BasicCredentials[" + name + "]";
        }
    }

    /// Of a line of HTTP Basic; empty if it is not Base64 of UTF-8 with a colon.
    public Optional<BasicCredentials> basicCredentials() {
        try {
            var text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(Base64.getDecoder().decode(credentials())))
                    .toString();
            int colon = text.indexOf(':');
            return colon < 0
                    ? Optional.empty()
                    : Optional.of(new BasicCredentials(text.substring(0, colon), text.substring(colon + 1)));
        } catch (IllegalArgumentException | CharacterCodingException _) {
            return Optional.empty();
        }
    }

    public static AuthorizationHeader basic(String name, String password) {
        var pair = (name + ":" + password).getBytes(StandardCharsets.UTF_8);
        return new AuthorizationHeader(BASIC + " " + Base64.getEncoder().encodeToString(pair));
    }

    public static AuthorizationHeader bearer(String token) {
        return new AuthorizationHeader(BEARER + " " + token);
    }

    /// The request with this line in place of all others.
    public Request in(Request request) {
        return request.with(request.headers().with(NAME, line));
    }

    /// In lower case.
    public String scheme() {
        int blank = line.indexOf(' ');
        return (blank < 0 ? line : line.substring(0, blank)).toLowerCase(Locale.ROOT);
    }

    /// Whether these are credentials of a scheme, whose name compares without regard to case.
    public boolean has(String scheme) {
        int length = scheme.length();
        return line.length() > length && line.charAt(length) == ' ' && line.regionMatches(true, 0, scheme, 0, length);
    }

    /// As [#has], by the very name. In other spellings, JSON Web Tokens, API keys, Digest and tokens in place of a
    /// password were never accepted.
    public boolean hasExactly(String scheme) {
        return has(scheme) && line.startsWith(scheme);
    }

    public String credentials() {
        return line.substring(line.indexOf(' ') + 1).strip();
    }

    @Override
    public String toString() {
        return "AuthorizationHeader[" + scheme() + "]";
    }
}
