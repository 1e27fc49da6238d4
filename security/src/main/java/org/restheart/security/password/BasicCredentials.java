package org.restheart.security.password;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import org.restheart.http.Headers;

/// A name and a password from the `Authorization` field (RFC 7617, 2).
///
/// @param name without a colon
public record BasicCredentials(String name, String password) {
    /// The first field value with the scheme `Basic`, in any case; the part after the scheme.
    public static Optional<String> find(Headers headers) {
        for (var line : headers.all("Authorization")) {
            if (line.regionMatches(true, 0, "Basic ", 0, 6)) {
                return Optional.of(line.substring(6).strip());
            }
        }
        return Optional.empty();
    }

    /// @return empty for text that is not Base64 of UTF-8 with a colon
    public static Optional<BasicCredentials> parse(String encoded) {
        try {
            var text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(Base64.getDecoder().decode(encoded)))
                    .toString();
            int colon = text.indexOf(':');
            return colon < 0
                    ? Optional.empty()
                    : Optional.of(new BasicCredentials(text.substring(0, colon), text.substring(colon + 1)));
        } catch (IllegalArgumentException | CharacterCodingException _) {
            return Optional.empty();
        }
    }

    @Override
    public String toString() {
        return "BasicCredentials[" + name + "]";
    }
}
