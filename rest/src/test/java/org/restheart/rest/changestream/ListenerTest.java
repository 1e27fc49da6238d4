package org.restheart.rest.changestream;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.restheart.bson.JsonMode;
import org.restheart.http.push.Backlog;
import org.restheart.http.push.Transport;
import org.restheart.mongo.background.ChangeCursor.Change;
import org.restheart.rest.changestream.StreamDefinition.MalformedStream;

@NullMarked
class ListenerTest {
    private static final Pattern NUMBER = Pattern.compile("\"n\": ?(\\d+)");

    private final StreamMeters meters = new StreamMeters(new SimpleMeterRegistry());
    private final Backlog backlog = new Backlog(100, 1 << 20);
    private final Listener listener;

    ListenerTest() throws MalformedStream {
        listener = new Listener(
                StreamDefinition.parse(BsonDocument.parse("{uri: 'all', stages: []}")),
                Transport.SSE,
                new Event.Form(JsonMode.DEFAULT, false, Optional.empty()),
                _ -> true,
                backlog);
    }

    /// The shared stream may be behind the cursor with which a listener has caught up.
    @Test
    void events_of_the_own_cursor_are_not_sent_again_by_the_shared_stream() throws InterruptedException {
        listener.hold();
        listener.accept(event(1), meters);
        for (int n = 1; n <= 4; n++) {
            assertThat(listener.catchUp(event(n), Duration.ZERO, meters)).contains(true);
        }
        assertThat(listener.ahead(token(4))).isEmpty();
        listener.release(token(4), meters);
        for (int n = 2; n <= 6; n++) {
            listener.accept(event(n), meters);
        }

        assertThat(told()).containsExactly(1, 2, 3, 4, 5, 6);
    }

    @Test
    void what_does_not_fit_to_the_waiting_messages_is_left_to_the_own_cursor() throws InterruptedException {
        var told = new ArrayList<Integer>();
        listener.hold();
        for (int n = 2; n <= 150; n++) {
            assertThat(listener.accept(event(n), meters)).isTrue();
        }
        for (int n = 1; n <= 150; n++) {
            assertThat(listener.ahead(token(n - 1))).contains(token(150));
            assertThat(listener.catchUp(event(n), Duration.ZERO, meters)).contains(true);
            told.addAll(told());
        }
        assertThat(listener.ahead(token(150))).isEmpty();
        listener.release(token(150), meters);
        told.addAll(told());
        assertThat(told)
                .containsExactlyElementsOf(IntStream.rangeClosed(1, 150).boxed().toList());
    }

    /// Whoever waits for its client keeps no event.
    @Test
    void an_event_of_the_own_cursor_is_not_taken_while_many_messages_wait() throws InterruptedException {
        listener.hold();
        int sent = 0;
        while (listener.catchUp(event(sent + 1), Duration.ZERO, meters).isPresent()) {
            sent++;
        }
        assertThat(sent).isBetween(1, 100 / 8);
        assertThat(told()).hasSize(sent);
        assertThat(listener.catchUp(event(sent + 1), Duration.ZERO, meters)).contains(true);
    }

    /// Else the next ones of the shared stream would soon be too many.
    @Test
    void it_goes_on_with_the_shared_stream_while_few_messages_wait() {
        listener.hold();
        for (int n = 1; n <= 12; n++) {
            listener.accept(event(n), meters);
        }
        assertThat(listener.ahead(token(0))).isEmpty();
        listener.accept(event(13), meters);
        assertThat(listener.ahead(token(1)))
                .as("those that are delivered do not wait")
                .isEmpty();
        listener.accept(event(14), meters);
        assertThat(listener.ahead(token(1))).contains(token(14));
    }

    /// The listener's position is that of its own cursor until the shared stream has passed it.
    @Test
    void the_position_is_not_before_what_was_delivered() {
        listener.hold();
        assertThat(listener.positionOf(token(1))).isEmpty();
        listener.release(token(4), meters);
        assertThat(listener.positionOf(token(1))).contains(token(4).toJson());
        assertThat(listener.positionOf(token(5))).contains(token(5).toJson());
    }

    private List<Integer> told() {
        var numbers = new ArrayList<Integer>();
        for (var frame = backlog.take(); frame != null; frame = backlog.take()) {
            var found = NUMBER.matcher(
                    StandardCharsets.UTF_8.decode(frame.bytes().duplicate()).toString());
            assertThat(found.find()).isTrue();
            numbers.add(Integer.valueOf(found.group(1)));
        }
        return numbers;
    }

    private static Event event(int n) {
        return new Event(new Change(
                RawBsonDocument.parse("{operationType: 'insert', fullDocument: {_id: " + n + ", n: " + n + "}}"),
                token(n)));
    }

    private static BsonDocument token(int n) {
        return BsonDocument.parse("{_data: '82%04X'}".formatted(n));
    }
}
