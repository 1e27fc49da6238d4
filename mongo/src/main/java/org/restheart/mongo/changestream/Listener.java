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

    /// The tokens of messages that wait until missed events before them have been sent; null if none has to.
    private @Nullable ArrayDeque<BsonDocument> heldTokens;

    /// The messages of these tokens.
    private volatile @Nullable Backlog held;

    /// The position up to which events were delivered by the listener's own cursor, which may be ahead of the shared
    /// stream; null once the shared stream has passed it.
    private @Nullable BsonDocument delivered;

    /// @param filter on the event document
    Listener(
            StreamDefinition definition,
            Transport transport,
            Event.Form form,
            Predicate<BsonDocument> filter,
            Backlog backlog) {
        this.definition = definition;
        this.transport = transport;
        this.form = form;
        this.filter = filter;
        this.backlog = backlog;
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
    Optional<String> positionOf(BsonDocument position) {
        return heldTokens == null ? Optional.of(form.id(position)) : Optional.empty();
    }

    /// Queues messages from now on, until [#release].
    void hold() {
        heldTokens = new ArrayDeque<>();
        held = backlog.another();
    }

    /// Sends the queued messages after `token`.
    ///
    /// @return false if the listener has to be removed
    boolean release(BsonDocument token, StreamMeters meters) {
        var tokens = heldTokens;
        var messages = held;
        heldTokens = null;
        delivered = token;
        if (tokens == null || messages == null) {
            return true;
        }
        try {
            for (var position : tokens) {
                var frame = messages.take();
                if (frame == null) {
                    return tooSlow();
                }
                if (!ResumeToken.reaches(token, position) && !offer(frame, meters)) {
                    return false;
                }
            }
            return true;
        } finally {
            messages.abandon();
        }
    }

    /// The messages were discarded, which was counted then.
    private boolean tooSlow() {
        backlog.end(Ending.TOO_SLOW);
        return false;
    }

    /// Discards all messages: the listener has left. Any thread.
    void discard() {
        var messages = held;
        if (messages != null) {
            messages.abandon();
        }
        backlog.abandon();
    }

    /// Accepts an event of the shared stream.
    ///
    /// @return false if the listener has to be removed
    boolean accept(Event event, StreamMeters meters) {
        var tokens = heldTokens;
        var messages = held;
        if (tokens == null || messages == null) {
            return isDelivered(event) || deliver(event, meters);
        }
        if (!filter.test(event.document())) {
            return true;
        }
        tokens.add(event.token());
        return switch (messages.offer(frame(event))) {
            case TAKEN -> true;
            case OVERFLOWN -> {
                meters.dropped();
                yield tooSlow();
            }
            case CLOSED -> tooSlow();
        };
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
