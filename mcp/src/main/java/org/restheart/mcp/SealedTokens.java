package org.restheart.mcp;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.SecretKey;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.http.Digests;

/// Authenticated tokens (HMAC) that carry state between calls, so that the server stores none. Each is bound to an
/// account and a purpose, and expires. The content is not encrypted. Thread-safe.
final class SealedTokens {
    private static final int MAX_LENGTH = 16_384;
    private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();

    private final SecretKey key;
    private final InstantSource clock;

    SealedTokens(SecretKey key, InstantSource clock) {
        this.key = key;
        this.clock = clock;
    }

    /// @param about further data that must be equal when the token is opened, such as the arguments of the call
    /// @param content the state
    String seal(String purpose, String principal, BsonValue about, BsonDocument content, Duration lifetime) {
        var payload = new BsonDocument("c", content)
                .append("e", new BsonInt64(clock.instant().plus(lifetime).getEpochSecond()));
        var text = ENCODER.encodeToString(bytes(payload));
        return text + "." + mac(text, purpose, principal, about);
    }

    /// The content; empty if the token is invalid or expired, or another purpose, account or `about` was given.
    Optional<BsonDocument> open(String token, String purpose, String principal, BsonValue about) {
        int dot = token.indexOf('.');
        if (dot < 0 || token.length() > MAX_LENGTH) {
            return Optional.empty();
        }
        var text = token.substring(0, dot);
        boolean genuine = MessageDigest.isEqual(
                mac(text, purpose, principal, about).getBytes(StandardCharsets.UTF_8),
                token.substring(dot + 1).getBytes(StandardCharsets.UTF_8));
        return genuine ? payload(text) : Optional.empty();
    }

    private Optional<BsonDocument> payload(String text) {
        try {
            var payload = JsonParser.parse(new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8))
                    .asDocument();
            return clock.instant().getEpochSecond() < payload.getInt64("e").getValue()
                    ? Optional.of(payload.getDocument("c"))
                    : Optional.empty();
        } catch (IllegalArgumentException | MalformedJsonException _) {
            return Optional.empty();
        }
    }

    private String mac(String text, String purpose, String principal, BsonValue about) {
        var parts = new BsonDocument("p", new BsonString(purpose))
                .append("a", new BsonString(principal))
                .append("m", about)
                .append("t", new BsonString(text));
        return ENCODER.encodeToString(Digests.hmac(key).doFinal(bytes(parts)));
    }

    private static byte[] bytes(BsonDocument document) {
        return JsonEncoder.of(JsonMode.EXTENDED).encodeToString(document).getBytes(StandardCharsets.UTF_8);
    }
}
