package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.bson.JsonWeight;
import org.restheart.data.Operation.Write;
import org.restheart.http.Body;
import org.restheart.http.Method;
import org.restheart.http.access.CallerScope;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.Via;
import org.restheart.testkit.TestRequests;

class BodyLimitsTest {
    private static final long MIB = 1 << 20;

    private final BodyLimits limits = new BodyLimits(16 * MIB, 256 * MIB, 64 * MIB, 16 * MIB, Duration.ofSeconds(1));

    private BodyLimits.Counter opened(String caller) {
        var counter = limits.open(() -> caller);
        assertThat(counter.countForCaller()).isTrue();
        return counter;
    }

    private static String caller(boolean hasAccount, int number) {
        return hasAccount ? CallerScope.account("" + number) : CallerScope.address("" + number);
    }

    /// The content of each arrives in pieces, as far as there is room.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_dozen_callers_whose_content_does_not_arrive_leave_memory_to_others(boolean areAccounts) {
        for (int i = 0; i < 12; i++) {
            var slow = opened(caller(areAccounts, i));
            for (int piece = 16 << 10; piece >= 1 << 10; piece /= 2) {
                while (slow.add(piece)) {
                    // as far as there is room
                }
            }
        }
        for (int i = 0; i < 12; i++) {
            for (boolean hasAccount : new boolean[] {true, areAccounts}) {
                var other = opened(caller(hasAccount, 100 + i));
                for (int piece = 0; piece < 3; piece++) {
                    assertThat(other.add(1_000))
                            .as("piece %d of caller %d", piece, i)
                            .isTrue();
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void two_callers_may_have_one_request_each_of_any_number_of_objects(boolean areAccounts) {
        for (int i = 0; i < 2; i++) {
            var counter = opened(caller(areAccounts, i));
            assertThat(counter.add(10_000)).isTrue();
            assertThat(counter.addObjects(Long.MAX_VALUE)).as("caller %d", i).isTrue();
        }
    }

    /// The elements of an array are deep in what the client has sent.
    @Test
    void documents_that_a_service_takes_out_of_its_content_count_as_documents() {
        var documents = ("[" + "{\"a\":1},".repeat(1_000) + "{}]").getBytes(StandardCharsets.UTF_8);
        var held = new AtomicLong();
        var outer = TestRequests.request(Method.POST, "/api").with(new Body() {
            @Override
            public byte[] bytes() {
                throw new AssertionError("its own content is what counts");
            }

            @Override
            public void hold(long bytes) {
                held.addAndGet(bytes);
            }
        });
        var inner = JudgedRequest.of(Write.INSERT, "/c", "", Map.of(), Via.of(Via.Service.DATA_API, "insertMany"))
                .withContent(documents)
                .inside(outer);
        assertThat(inner.body().bytes()).isEqualTo(documents);
        assertThat(inner.body().bytes()).isEqualTo(documents);
        assertThat(held.get()).isEqualTo(documents.length + JsonWeight.of(documents));
    }
}
