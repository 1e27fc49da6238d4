package org.restheart.mcp;

import static org.restheart.bson.BsonValues.object;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Optional;
import java.util.function.Function;
import javax.crypto.SecretKey;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.http.Digests;
import org.restheart.http.module.PresentedCredential;

/// Authenticated tokens (HMAC) that carry state between calls, so that the server stores none. Each is bound to an
/// account and a purpose, and expires. The content is not encrypted. Thread-safe.
record SealedTokens(SecretKey key, InstantSource clock) {
    private static final int MAX_LENGTH = 16_384;
    private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();

    /// @param about further data that must be equal when the token is opened, such as the arguments of the call
    /// @param content the state
    String seal(String purpose, String principal, BsonValue about, BsonDocument content, Duration lifetime) {
        var payload = object("c", content, "e", clock.instant().plus(lifetime).getEpochSecond());
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
        var parts = object("p", purpose, "a", principal, "m", about, "t", text);
        return ENCODER.encodeToString(Digests.hmac(key).doFinal(bytes(parts)));
    }

    private static byte[] bytes(BsonDocument document) {
        return JsonEncoder.of(JsonMode.EXTENDED).encodeToString(document).getBytes(StandardCharsets.UTF_8);
    }

    /// The cursors from which a list or a stream is continued: sealed positions, which can be opened with the same
    /// credential and the same arguments only. Thread-safe.
    ///
    /// @param name of the argument in which clients send it
    /// @param lifetime how long it can be used
    record Cursors(SealedTokens tokens, String name, Duration lifetime) {
        private static final String NAME = "cursor";

        /// Those of lists, which can be used for an hour.
        static Cursors ofLists(SealedTokens tokens) {
            return new Cursors(tokens, NAME, Duration.ofHours(1));
        }

        /// The position that a call sends; empty without one. All other arguments must equal those of the call that
        /// returned it.
        ///
        /// @throws RpcError if it is not of such a call, or expired
        <P> Optional<P> open(ToolCall call, Function<BsonDocument, P> reader) {
            return call.optionalText(name).map(token -> open(token, call.credential(), call.matter(name), reader));
        }

        /// @param matter what must be equal
        /// @throws RpcError if it is not of this list, or expired
        <P> P open(String token, PresentedCredential credential, BsonValue matter, Function<BsonDocument, P> reader) {
            return tokens.open(token, name, credential.principal(), matter)
                    .map(reader)
                    .orElseThrow(
                            () -> RpcError.invalidParams("'" + name + "' is not of this call, or its time is over"));
        }

        /// The cursor for a position behind the result of a call.
        String next(ToolCall call, BsonDocument position) {
            return next(call.credential(), call.matter(name), position);
        }

        /// @param matter what must be equal when it is opened
        String next(PresentedCredential credential, BsonValue matter, BsonDocument position) {
            return tokens.seal(name, credential.principal(), matter, position, lifetime);
        }
    }
}
