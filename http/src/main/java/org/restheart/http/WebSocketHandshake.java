package org.restheart.http;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/// The server's part of the opening handshake of a WebSocket (RFC 6455, 4.2), without extensions and sub-protocols.
public final class WebSocketHandshake {
    private static final String MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    private static final int KEY_BYTES = 16;

    private WebSocketHandshake() {}

    public static boolean isAsked(Headers headers) {
        return headers.hasToken("Connection", "upgrade") && headers.hasToken("Upgrade", "websocket");
    }

    /// The headers of the response with status 101.
    ///
    /// @throws ProblemException 400 if the version is not 13, or the key is malformed
    public static Fields answer(Headers headers) {
        var key = headers.first("Sec-WebSocket-Key").map(String::strip).filter(WebSocketHandshake::isKey);
        var version = headers.first("Sec-WebSocket-Version").map(String::strip);
        if (key.isEmpty() || !version.equals(Optional.of("13"))) {
            throw Problem.of(
                            ProblemCode.BAD_REQUEST,
                            "a WebSocket needs Sec-WebSocket-Version 13 and a Sec-WebSocket-Key of 16 bytes")
                    .with("Sec-WebSocket-Version", "13")
                    .raise();
        }
        return Fields.of("Upgrade", "WebSocket", "Connection", "Upgrade", "Sec-WebSocket-Accept", accept(key.get()));
    }

    private static boolean isKey(String text) {
        try {
            return Base64.getDecoder().decode(text).length == KEY_BYTES;
        } catch (IllegalArgumentException _) {
            return false;
        }
    }

    private static String accept(String key) {
        var sha1 = Digests.of("SHA-1");
        return Base64.getEncoder().encodeToString(sha1.digest((key + MAGIC).getBytes(StandardCharsets.US_ASCII)));
    }
}
