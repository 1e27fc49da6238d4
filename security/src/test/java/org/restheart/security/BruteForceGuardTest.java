package org.restheart.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.restheart.security.Requests.get;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.restheart.http.ProblemException;

class BruteForceGuardTest {
    private static final int ALLOWED = 3;

    private final BruteForceGuard guard = new BruteForceGuard(ALLOWED, new ClientAddress.Peer(), () -> 0);

    /// Begins as many attempts as may fail, and one more, which waits for them.
    private FutureTask<Boolean> oneTooMany() throws InterruptedException {
        IntStream.range(0, ALLOWED).forEach(_ -> guard.begin(get("/")));
        var attempt = new FutureTask<>(() -> {
            guard.begin(get("/"));
            return true;
        });
        var thread = Thread.ofPlatform().start(attempt);
        while (thread.getState() != Thread.State.TIMED_WAITING && thread.getState() != Thread.State.TERMINATED) {
            Thread.onSpinWait();
        }
        assertThat(thread.join(Duration.ZERO)).as("it waits").isFalse();
        return attempt;
    }

    @Test
    void a_guess_beside_as_many_as_may_fail_is_refused_when_they_have_failed() throws InterruptedException {
        var attempt = oneTooMany();
        IntStream.range(0, ALLOWED).forEach(_ -> guard.end(get("/"), true));
        assertThatThrownBy(attempt::get)
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(ProblemException.class);
    }
}
