package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.restheart.http.access.CallerScope;
import org.restheart.http.push.Inbound;

/// The memory of messages that clients of WebSockets send.
class ReceivedMessagesTest {
    private static final int KIB = 1 << 10;

    private final BodyLimits limits = new BodyLimits(1 << 10, 16 * KIB, 4 * KIB, 1 << 10, Duration.ofSeconds(1));
    private final List<Runnable> handled = new ArrayList<>();

    private WebSocketConnection.ReceivedMessages messages(String caller) {
        return new WebSocketConnection.ReceivedMessages(
                new Inbound() {
                    @Override
                    public int maxBytes() {
                        return KIB;
                    }

                    @Override
                    public int maxWaiting() {
                        return 3 * KIB;
                    }

                    @Override
                    public void received(byte[] message, Memory memory) {
                        handled.add(memory::release);
                    }
                },
                limits,
                caller);
    }

    /// One that keeps one message, of 3 KiB, waiting.
    private WebSocketConnection.ReceivedMessages full(String caller) {
        var messages = messages(caller);
        assertThat(messages.add(KIB)).isTrue();
        assertThat(messages.add(2 * KIB)).isTrue();
        messages.passOn(new byte[3 * KIB]);
        return messages;
    }

    @Test
    void what_is_not_handled_counts_for_its_connection() {
        var messages = full("account ada");
        assertThat(messages.add(1)).isFalse();
        handled.forEach(Runnable::run);
        handled.forEach(Runnable::run); // counts once
        assertThat(messages.add(3 * KIB)).isTrue();
        assertThat(messages.add(1)).isFalse();
    }

    @Test
    void a_caller_has_half_of_the_memory_on_however_many_connections() {
        full("account ada");
        full("account ada");
        var third = messages("account ada");
        assertThat(third.add(KIB)).isTrue(); // of 14 KiB: the rest is for content that comes with its head
        assertThat(third.add(1)).isFalse();
        third.close(); // in the middle of a message
        assertThat(messages("account ada").add(KIB)).isTrue();
    }

    /// However many have as much as they may.
    @Test
    void callers_together_leave_something_to_the_next_one() {
        full("account ada");
        full("account ada");
        for (var name : List.of("bob", "cyn", "dan")) {
            var messages = messages("account " + name);
            while (messages.add(KIB)) {
                // takes all it gets
            }
        }
        assertThat(messages("account eve").add(1)).isTrue();
    }

    @Test
    void callers_without_accounts_have_less() {
        var messages = messages(CallerScope.address("192.0.2.1"));
        assertThat(messages.add(KIB)).isTrue();
        assertThat(messages.add(KIB)).isTrue();
        assertThat(messages.add(1)).isFalse();
    }

    @Test
    void nothing_is_received_after_the_end() {
        var messages = messages("account ada");
        messages.close();
        assertThat(messages.add(1)).isFalse();
    }
}
