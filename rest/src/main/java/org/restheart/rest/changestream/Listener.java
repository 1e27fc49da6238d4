package org.restheart.rest.changestream;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.function.Predicate;
import org.bson.BsonDocument;
import org.bson.BsonTimestamp;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.fields.NamedEntries;
import org.restheart.http.push.Backlog;
import org.restheart.http.push.Ending;
import org.restheart.http.push.Frame;
import org.restheart.http.push.Transport;
import org.restheart.mongo.background.ChangeCursor.ResumeToken;

/// One connection that listens to a stream. Guarded by the stream's lock, except for the backlog, which is thread-safe.
final class Listener {
    /// How long a client may take nothing of the events that it missed.
    private static final Duration TIME_LIMIT = Duration.ofSeconds(60);

    private final StreamDefinition definition;
    private final Transport transport;
    private final Event.Form form;
    private final Predicate<BsonDocument> filter;
    private final Backlog backlog;

    /// The tokens of messages that wait until missed events before them have been sent; null if none has to.
    private @Nullable ArrayDeque<BsonDocument> heldTokens;

    /// The messages of these tokens; also read by [#discard].
    private volatile @Nullable Backlog held;

    /// The last message that did not fit to those that wait: the listener's own cursor has to deliver it.
    private @Nullable BsonDocument unheld;

    /// The time of the first event that it receives; null once the shared stream has passed it.
    private @Nullable BsonTimestamp since;

    /// The position up to which events were delivered by the listener's own cursor, which may be ahead of the shared
    /// stream; null once the shared stream has passed it.
    private @Nullable BsonDocument delivered;

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
        return definition
                .entry()
                .equals(NamedEntries.of(properties.get(StreamDefinition.PROPERTY))
                        .get(uri));
    }

    /// The position as the listener knows it; empty while messages are queued behind missed ones.
    Optional<String> positionOf(BsonDocument position) {
        if (heldTokens != null) {
            return Optional.empty();
        }
        var last = delivered;
        return Optional.of(form.id(last == null || ResumeToken.reaches(position, last) ? position : last));
    }

    /// Leaves out events before this time: a shared stream may still have to deliver some.
    void beginAt(BsonTimestamp time) {
        since = time;
    }

    /// Queues messages from now on, until [#release].
    void hold() {
        heldTokens = new ArrayDeque<>();
        held = backlog.another();
    }

    /// Where the listener's own cursor has to arrive before [#release]: with a client that takes what it missed more
    /// slowly than new messages come, they do not all wait, and the cursor delivers them too. Else the next few
    /// messages of the shared stream could be too many.
    ///
    /// @param token up to which it has delivered
    /// @return empty if that suffices
    Optional<BsonDocument> ahead(BsonDocument token) {
        var tokens = heldTokens;
        var messages = held;
        if (tokens != null && messages != null) {
            while (!tokens.isEmpty() && ResumeToken.reaches(token, tokens.getFirst())) {
                tokens.removeFirst();
                var _ = messages.take();
            }
            if (!tokens.isEmpty() && !messages.isNearlyEmpty()) {
                leave(tokens.getLast(), tokens, messages);
            }
        }
        return Optional.ofNullable(unheld).filter(last -> !ResumeToken.reaches(token, last));
    }

    private void leave(BsonDocument last, ArrayDeque<BsonDocument> tokens, Backlog messages) {
        unheld = last;
        tokens.clear();
        messages.drop();
    }

    /// Sends the queued messages, once `token` is not [#ahead].
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
            for (int i = tokens.size(); i > 0; i--) { // all are after the token
                var frame = messages.take();
                if (frame == null) {
                    return tooSlow();
                }
                if (!offer(frame, meters)) {
                    return false;
                }
            }
            return true;
        } finally {
            messages.abandon();
            held = null;
        }
    }

    /// Counted where messages are discarded.
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

    /// @return false if the listener has to be removed
    boolean accept(Event event, StreamMeters meters) {
        if (isBeforeBeginning(event)) {
            return true;
        }
        var tokens = heldTokens;
        var messages = held;
        if (tokens == null || messages == null) {
            return isDelivered(event) || deliver(event, meters);
        }
        if (!filter.test(event.document())) {
            return true;
        }
        var frame = frame(event);
        if (!messages.fits(frame)) {
            leave(event.token(), tokens, messages);
            return true;
        }
        tokens.add(event.token());
        return switch (messages.offer(frame)) {
            case TAKEN -> true;
            case OVERFLOWN, CLOSED -> tooSlow();
        };
    }

    private boolean isBeforeBeginning(Event event) {
        var begins = since;
        if (begins == null) {
            return false;
        }
        boolean isBefore = ResumeToken.time(event.token())
                .map(time -> time.compareTo(begins) < 0)
                .orElse(false);
        since = isBefore ? begins : null;
        return isBefore;
    }

    private boolean isDelivered(Event event) {
        if (delivered != null && !ResumeToken.reaches(delivered, event.token())) {
            delivered = null;
        }
        return delivered != null;
    }

    /// Sends an event ahead of queued messages, if the client has taken enough of those before.
    ///
    /// @param wait how long it may take nothing
    /// @return empty if it has not, and false if the listener has to be removed
    Optional<Boolean> catchUp(Event event, Duration wait, StreamMeters meters) throws InterruptedException {
        if (!filter.test(event.document())) {
            return Optional.of(true);
        }
        var frame = frame(event);
        return backlog.awaitRoom(frame, wait) ? Optional.of(offer(frame, meters)) : Optional.empty();
    }

    /// Waits until the client has taken what it missed.
    ///
    /// @return false if the listener has to be removed
    boolean awaitTaken(StreamMeters meters) throws InterruptedException {
        if (backlog.awaitEmpty(TIME_LIMIT)) {
            return true;
        }
        meters.dropped();
        return tooSlow();
    }

    private boolean deliver(Event event, StreamMeters meters) {
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
