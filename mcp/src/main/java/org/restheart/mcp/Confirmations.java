package org.restheart.mcp;

import static org.restheart.bson.BsonValues.object;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiPredicate;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.bson.BsonTexts;

/// Requires confirmation of writes: by the user if the client supports elicitation, else by a second call. A
/// confirmation is valid for the same call of the same account, for a limited time, once, and for no more
/// documents than were counted. Thread-safe.
///
/// @param uses uses up the identifier of a token, which is valid until the instant; false if it was used before, at any
///     gateway
record Confirmations(SealedTokens tokens, boolean requireElicitation, BiPredicate<String, Instant> uses) {
    private static final Duration LIFETIME = Duration.ofMinutes(5);
    private static final String ARGUMENT = "confirmation";
    private static final String KEY = "confirm";
    private static final long UNKNOWN = -1;

    /// The result that requests a confirmation; empty if the write is confirmed.
    ///
    /// @param matching documents that match now; empty if that could not be counted
    /// @param act a description of the write for the user
    /// @throws RefusedCall for an invalid confirmation
    Optional<ToolResult> ask(ToolCall call, Optional<Long> matching, String act) {
        var state = BsonTexts.of(call.rpc().params(), "requestState");
        if (call.rpc().elicits() && state.isPresent()) {
            return answered(call, state.get(), matching);
        }
        var given = call.optionalText(ARGUMENT);
        if (given.isPresent()) {
            if (requireElicitation) {
                throw elicitationRequired();
            }
            confirm(call, given.get(), matching, false);
            return Optional.empty();
        }
        if (call.rpc().elicits()) {
            return Optional.of(ToolResult.of(act, Optional.of(question(call, act, matching))));
        }
        if (requireElicitation) {
            throw elicitationRequired();
        }
        var token = seal(call, matching, false);
        return Optional.of(ToolResult.of(act + " Nothing has been written. Ask the user; if they agree, call again with"
                        + " the same arguments and confirmation \"" + token + "\"")
                .with(ARGUMENT, new BsonString(token)));
    }

    private static RefusedCall elicitationRequired() {
        return new RefusedCall("confirmation", "this needs a client that can ask its user (elicitation)");
    }

    private String seal(ToolCall call, Optional<Long> matching, boolean asksUser) {
        var content =
                object("n", matching.orElse(UNKNOWN), "i", UUID.randomUUID().toString());
        return tokens.seal(purpose(asksUser), call.credential().principal(), call.matter(ARGUMENT), content, LIFETIME);
    }

    /// Tokens for users and for models differ, so that a model cannot confirm in place of the user.
    private static String purpose(boolean asksUser) {
        return asksUser ? "elicitation" : ARGUMENT;
    }

    private BsonDocument question(ToolCall call, String act, Optional<Long> matching) {
        var schema = object("type", "object", "properties", object());
        var params = object("mode", "form", "message", act, "requestedSchema", schema);
        return object(
                "resultType", "input_required",
                "inputRequests", object(KEY, object("method", "elicitation/create", "params", params)),
                "requestState", seal(call, matching, true));
    }

    private Optional<ToolResult> answered(ToolCall call, String state, Optional<Long> matching) {
        var responses = call.rpc().params().get("inputResponses");
        var response = responses instanceof BsonDocument all ? all.get(KEY) : null;
        var action = response instanceof BsonDocument answer ? answer.get("action") : null;
        if (!new BsonString("accept").equals(action)) {
            return Optional.of(ToolResult.of("The user did not agree. Nothing has been written."));
        }
        confirm(call, state, matching, true);
        return Optional.empty();
    }

    private void confirm(ToolCall call, String token, Optional<Long> matching, boolean asksUser) {
        var content = tokens.open(token, purpose(asksUser), call.credential().principal(), call.matter(ARGUMENT))
                .orElseThrow(() -> new RefusedCall(
                        "confirmation",
                        "the confirmation is not for this call, or its time is over: call again without it"));
        long counted = content.getInt64("n").getValue();
        if (counted != UNKNOWN && matching.orElse(0L) > counted) {
            throw new RefusedCall(
                    "confirmation", "more documents match than were confirmed: call again without the confirmation");
        }
        var until = Instant.now().plus(LIFETIME.multipliedBy(2)); // clocks differ
        if (!uses.test("mcp " + content.getString("i").getValue(), until)) {
            throw new RefusedCall("confirmation", "the confirmation has been used: call again without it");
        }
    }
}
