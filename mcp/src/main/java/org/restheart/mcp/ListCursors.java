package org.restheart.mcp;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/// The cursors from which a list or a stream is continued: sealed positions, which can be opened with the same
/// credential and the same arguments only. Thread-safe.
///
/// @param name of the argument in which clients send it
/// @param lifetime how long it can be used
record ListCursors(SealedTokens tokens, String name, Duration lifetime) {
    private static final String NAME = "cursor";

    /// Those of lists, which can be used for an hour.
    static ListCursors ofLists(SealedTokens tokens) {
        return new ListCursors(tokens, NAME, Duration.ofHours(1));
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
                .orElseThrow(() -> RpcError.invalidParams("'" + name + "' is not of this call, or its time is over"));
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
