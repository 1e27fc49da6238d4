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
    private final BodyLimits limits = new BodyLimits(1_000, 10_000, 4_000, 1_000, Duration.ofSeconds(1));
    private final List<Runnable> handled = new ArrayList<>();

    private ReceivedMessages messages(String caller) {
        return new ReceivedMessages(
                new Inbound() {
                    @Override
                    public int maxBytes() {
                        return 1_000;
                    }

                    @Override
                    public int maxWaiting() {
                        return 3_000;
                    }

                    @Override
                    public void received(byte[] message, Memory memory) {
                        handled.add(memory::release);
                    }
                },
                limits,
                caller);
    }

    /// One that keeps one message, of 3,000 bytes, waiting.
    private ReceivedMessages full(String caller) {
        var messages = messages(caller);
        assertThat(messages.add(1_000)).isTrue();
        assertThat(messages.add(2_000)).isTrue();
        messages.passOn(new byte[3_000]);
        return messages;
    }

    @Test
    void what_is_not_handled_counts_for_its_connection() {
        var messages = full("account ada");
        assertThat(messages.add(1)).isFalse();
        handled.forEach(Runnable::run);
        handled.forEach(Runnable::run); // counts once
        assertThat(messages.add(3_000)).isTrue();
        assertThat(messages.add(1)).isFalse();
    }

    @Test
    void a_caller_has_half_of_the_memory_on_however_many_connections() {
        full("account ada");
        var second = messages("account ada");
        assertThat(second.add(2_000)).isTrue();
        assertThat(second.add(1)).isFalse();
        assertThat(messages("account bob").add(3_000)).isTrue();
        second.close(); // in the middle of a message
        assertThat(messages("account ada").add(2_000)).isTrue();
    }

    @Test
    void callers_without_accounts_have_less() {
        var messages = messages(CallerScope.address("192.0.2.1"));
        assertThat(messages.add(2_000)).isTrue();
        assertThat(messages.add(1)).isFalse();
    }

    @Test
    void nothing_is_received_after_the_end() {
        var messages = messages("account ada");
        messages.close();
        assertThat(messages.add(1)).isFalse();
    }
}
