package org.restheart.core.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.Opened;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Accounts share cursors and listeners such that there are always some for another one.
@WithMongo
class StreamSharesTest {
    private final TestMongo mongo;

    @AutoClose
    private final Opened<AutoCloseable> opened = new Opened<>();

    StreamSharesTest(TestMongo mongo) {
        this.mongo = mongo;
    }

    private StreamsGateway start(String options) throws Exception {
        var gateway = opened.add(StreamsGateway.startSecured(mongo, options, StreamsGateway.SECURITY));
        List.of("a", "b", "c").forEach(name -> gateway.addUser(name, "admin"));
        gateway.send(
                "PUT",
                "/t",
                "{\"streams\": [{\"uri\": \"of\", \"stages\": [{\"$match\": {\"x\": {\"$var\": \"n\"}}}]}]}",
                "Authorization",
                StreamsGateway.basic("a"));
        return gateway;
    }

    private SseListener open(StreamsGateway gateway, String account, int n) throws IOException {
        return opened.add(SseListener.open(
                gateway,
                "/t/_streams/of?avars=%7B%22n%22:" + n + "%7D",
                "Authorization: " + StreamsGateway.basic(account)));
    }

    private int opensOf(StreamsGateway gateway, String account, int first) throws IOException {
        for (int n = first; ; n++) {
            if (!open(gateway, account, n).status().contains(" 200 ")) {
                return n - first;
            }
        }
    }

    @Test
    void some_accounts_cannot_take_all_cursors() throws Exception {
        var gateway = start(", change-streams-max-cursors: 8");
        assertThat(opensOf(gateway, "a", 0)).isEqualTo(4);
        assertThat(opensOf(gateway, "b", 100)).isEqualTo(2);
        assertThat(open(gateway, "c", 200).status()).contains(" 200 ");
    }

    @Test
    void there_are_no_more_cursors_than_the_bound() throws Exception {
        var gateway = start(", change-streams-max-cursors: 2");
        assertThat(open(gateway, "a", 1).status()).contains(" 200 ");
        assertThat(open(gateway, "b", 2).status()).contains(" 200 ");
        assertThat(open(gateway, "c", 3).status()).contains(" 503 ");
        assertThat(open(gateway, "c", 1).status()).contains(" 200 ");
    }

    @Test
    void a_cursor_counts_for_an_account_that_uses_it() throws Exception {
        var gateway = start(", change-streams-max-cursors: 8");
        var first = new ArrayList<SseListener>();
        for (int n = 0; n < 4; n++) {
            first.add(open(gateway, "a", n));
            assertThat(open(gateway, "b", n).status()).contains(" 200 ");
        }
        assertThat(open(gateway, "a", 100).status()).contains(" 429 ");
        assertThat(open(gateway, "b", 100).status()).contains(" 200 ");
        for (var listener : first) {
            listener.close();
        }
        await().untilAsserted(() -> assertThat(open(gateway, "a", 200).status()).contains(" 200 "));
        assertThat(open(gateway, "b", 300).status()).contains(" 429 ");
    }

    @Test
    void some_accounts_cannot_take_all_listeners() throws Exception {
        var gateway = start(", change-streams-max-listeners: 6");
        assertThat(opensOf(gateway, "a", 0)).isEqualTo(3);
        assertThat(opensOf(gateway, "b", 0)).isEqualTo(2);
        assertThat(open(gateway, "c", 0).status()).contains(" 200 ");
        assertThat(open(gateway, "c", 0).status()).contains(" 503 ");
    }
}
