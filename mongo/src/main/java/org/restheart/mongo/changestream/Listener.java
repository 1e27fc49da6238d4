package org.restheart.mongo.changestream;

import java.util.ArrayDeque;
import java.util.Optional;
import java.util.function.Predicate;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.http.push.Backlog;
import org.restheart.http.push.Ending;
import org.restheart.http.push.Frame;
import org.restheart.http.push.Transport;
import org.restheart.mongo.background.ResumeToken;

/// One connection that listens to a stream. Guarded by the stream's lock, except for the backlog, which is thread-safe.
final class Listener {
    private final StreamDefinition definition;
    private final Transport transport;
    private final Event.Form form;
    private final Predicate<BsonDocument> filter;
    private final Backlog backlog;
    private final int maxHeld;
    private @Nullable ArrayDeque<Held> held;

    /// The position up to which events were delivered by the listener's own cursor, which may be ahead of the shared
    /// stream; null once the shared stream has passed it.
    private @Nullable BsonDocument delivered;

    /// A message that is queued until missed events before it have been sent.
    private record Held(BsonDocument token, Frame frame) {}

    /// @param filter on the event document
    /// @param maxHeld most queued messages while missed ones are sent
    Listener(
            StreamDefinition definition,
            Transport transport,
            Event.Form form,
            Predicate<BsonDocument> filter,
            Backlog backlog,
            int maxHeld) {
        this.definition = definition;
        this.transport = transport;
        this.form = form;
        this.filter = filter;
        this.backlog = backlog;
        this.maxHeld = maxHeld;
    }

    Transport transport() {
        return transport;
    }

    Backlog backlog() {
        return backlog;
    }

    /// Whether its definition is unchanged in these properties.
    boolean isDefinedBy(BsonDocument properties) {
        var uri = definition.entry().getString("uri").getValue();
        return StreamDefinition.find(Optional.ofNullable(properties.get(StreamDefinition.PROPERTY)), uri)
                .filter(definition.entry()::equals)
                .isPresent();
    }

    /// The position as the listener knows it; empty while messages are queued behind missed ones.
    ///
    /// @param position of the stream
    Optional<String> told(BsonDocument position) {
        return held == null ? Optional.of(form.id(position)) : Optional.empty();
    }

    /// Queues messages from now on, until [#release].
    void hold() {
        held = new ArrayDeque<>();
    }

    /// Sends the queued messages after `token`.
    ///
    /// @return false if the listener has to be removed
    boolean release(BsonDocument token, StreamMeters meters) {
        var waiting = held;
        held = null;
        delivered = token;
        if (waiting != null) {
            for (var message : waiting) {
                if (!ResumeToken.reaches(token, message.token()) && !offer(message.frame(), meters)) {
                    return false;
                }
            }
        }
        return true;
    }

    /// Accepts an event of the shared stream.
    ///
    /// @return false if the listener has to be removed
    boolean accept(Event event, StreamMeters meters) {
        if (held == null) {
            return isDelivered(event) || deliver(event, meters);
        }
        if (filter.test(event.document())) {
            if (held.size() >= maxHeld) {
                meters.dropped();
                backlog.end(Ending.TOO_SLOW);
                return false;
            }
            held.add(new Held(event.token(), frame(event)));
        }
        return true;
    }

    private boolean isDelivered(Event event) {
        if (delivered != null && !ResumeToken.reaches(delivered, event.token())) {
            delivered = null;
        }
        return delivered != null;
    }

    /// Sends an event ahead of queued messages.
    ///
    /// @return false if the listener has to be removed
    boolean deliver(Event event, StreamMeters meters) {
        return !filter.test(event.document()) || offer(frame(event), meters);
    }

    private Frame frame(Event event) {
        return event.message(form).framed(transport);
    }

    private boolean offer(Frame frame, StreamMeters meters) {
        return switch (backlog.offer(frame)) {
            case TAKEN -> {
                meters.handedOver(frame);
                yield true;
            }
            case OVERFLOWN -> {
                meters.dropped();
                yield false;
            }
            case CLOSED -> false;
        };
    }
}
