package org.restheart.mongo.changestream;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.bson.BsonString;
import org.bson.BsonTimestamp;
import org.bson.BsonValue;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.push.Frame;
import org.restheart.http.push.Transport;
import org.restheart.mongo.background.Start;

/// The requested start of a listener other than now: after an event that it has received or at its former beginning, by
/// the header `Last-Event-ID` or the query parameter `resumeAfter`, or at a time, by `startAtOperationTime`.
final class StartParameters {
    private static final String HEADER = "Last-Event-ID";
    private static final String AFTER = "resumeAfter";
    private static final String AT = "startAtOperationTime";

    /// The query parameters that are read here.
    static final Set<String> NAMES = Set.of(AFTER, AT);

    private StartParameters() {}

    /// The position at which a listener begins that begins now, if it has requested one: as an id without an event, so
    /// that a client that is cut off before its first event misses nothing. Event sources store it (HTML, 9.2.6).
    ///
    /// @param from empty for now
    /// @param now asked only if it is needed
    static Optional<Frame> beginning(Request request, Transport transport, Optional<Start> from, Supplier<Start> now) {
        if (transport != Transport.SSE || from.isPresent() || !request.query().has(AFTER)) {
            return Optional.empty();
        }
        return now.get() instanceof Start.At(var time)
                ? Optional.of(new Frame(UTF_8.encode("id:" + id(time) + "\n\n"), 0))
                : Optional.empty();
    }

    private static String id(BsonTimestamp time) {
        return "{\"$timestamp\": {\"t\": " + Integer.toUnsignedString(time.getTime()) + ", \"i\": "
                + Integer.toUnsignedString(time.getInc()) + "}}";
    }

    /// Whether messages contain their resume tokens: WebSockets have no header for them, so a client requests another
    /// message format. An empty `resumeAfter` requests only that, and with server-sent events [#beginning].
    static boolean wantTokens(Request request, Transport transport) {
        return transport == Transport.WEB_SOCKET
                && (request.query().has(AFTER) || request.query().has(AT));
    }

    /// The header of a reconnecting event source takes precedence over its URL, which does not change.
    ///
    /// @param seal of the tokens that are taken, if they are not MongoDB's own
    /// @return empty for now
    /// @throws org.restheart.http.ProblemException 400
    static Optional<Start> parse(Request request, Transport transport, Optional<TokenSeal> seal) {
        if (transport == Transport.SSE) {
            var header = request.headers().first(HEADER).filter(text -> !text.isEmpty());
            if (header.isPresent()) {
                return Optional.of(after(HEADER, header.get(), seal));
            }
        }
        var after = request.query().first(AFTER).filter(text -> !text.isEmpty());
        var at = request.query().first(AT);
        if (after.isPresent() && at.isPresent()) {
            throw refusal("either " + AFTER + " or " + AT + " can be given");
        }
        if (after.isPresent()) {
            return Optional.of(after(AFTER, after.get(), seal));
        }
        return at.map(StartParameters::time).map(Start.At::new);
    }

    private static Optional<BsonValue> json(String text) {
        try {
            return Optional.of(JsonParser.parse(text));
        } catch (MalformedJsonException _) {
            return Optional.empty();
        }
    }

    private static Start after(String parameter, String text, Optional<TokenSeal> seal) {
        var position = json(text);
        if (position.isPresent() && position.get().isTimestamp()) {
            return new Start.At(position.get().asTimestamp());
        }
        return position.filter(value -> value.isDocument() && value.asDocument().get("_data") instanceof BsonString)
                .map(BsonValue::asDocument)
                .flatMap(token -> seal.isPresent() ? seal.get().open(token) : Optional.of(token))
                .map(Start.After::new)
                .orElseThrow(() -> refusal(parameter + " is no resume token"));
    }

    /// A timestamp in Extended JSON, or seconds since 1970.
    private static BsonTimestamp time(String text) {
        var value = json(text).orElseThrow(StartParameters::noTime);
        if (value.isTimestamp()) {
            return value.asTimestamp();
        }
        long seconds = value.isNumber() ? value.asNumber().longValue() : -1;
        if (seconds < 0 || seconds > Integer.MAX_VALUE) {
            throw noTime();
        }
        return new BsonTimestamp((int) seconds, 0);
    }

    private static RuntimeException noTime() {
        return refusal(AT + " is neither {\"$timestamp\": {\"t\": seconds, \"i\": number}} nor seconds since 1970");
    }

    private static RuntimeException refusal(String text) {
        return new ProblemException(ProblemCode.BAD_REQUEST, "Cannot resume change stream: " + text);
    }
}
