package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.restheart.core.routing.Binding;
import org.restheart.http.InlineCommand;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// Commands that I/O threads run by themselves.
class InlineCommandTest {
    private static final String ONE_THREAD = "core: {io-threads: 1}";
    private static final Executor OTHERS = task -> Thread.ofVirtual().start(task);

    private volatile long nanos;

    /// Completes an outcome with the name of the thread that does it, if that is the current one.
    private CompletableFuture<String> outcome() {
        var ioThread = Thread.currentThread();
        var outcome = new CompletableFuture<String>();
        Runnable command = () -> {
            long began = System.nanoTime();
            while (System.nanoTime() - began < nanos) {
                Thread.onSpinWait();
            }
            outcome.complete(ioThread.equals(Thread.currentThread()) ? "here" : "elsewhere");
        };
        if (!InlineCommand.offer(command)) {
            OTHERS.execute(command);
        }
        return outcome;
    }

    private Binding commands() {
        return TestServer.eager("/", _ -> Response.later(outcome(), InlineCommandTest::text));
    }

    private static Response.Ready text(String text) {
        return Response.json(200, '"' + text + '"');
    }

    private static String runner(RawClient client) throws IOException {
        return client.request("GET /").answer().text().replace("\"", "");
    }

    @Test
    void a_client_alone_has_its_commands_run_by_its_io_thread_until_another_one_comes() throws Exception {
        var blocking = TestServer.blocking("/blocking", _ -> text(""));
        try (var server = TestServer.with(ONE_THREAD, commands(), blocking);
                var first = server.connect();
                var second = server.connect()) {
            assertThat(runner(first)).isEqualTo("elsewhere"); // there may be others
            await().until(() -> runner(first).equals("here"));
            assertThat(runner(second)).isEqualTo("elsewhere");
            assertThat(runner(first)).isEqualTo("elsewhere");
            await().until(() -> runner(first).equals("here"));
            var _ = second.request("GET /blocking").answer();
            assertThat(runner(first)).isEqualTo("elsewhere"); // also after requests that no I/O thread tries
        }
    }

    @Test
    void an_io_thread_runs_no_more_commands_after_two_long_ones() throws Exception {
        try (var server = TestServer.with(ONE_THREAD, commands());
                var client = server.connect()) {
            nanos = TimeUnit.MILLISECONDS.toNanos(20);
            await().until(() -> runner(client).equals("here"));
            assertThat(runner(client)).isEqualTo("here");
            assertThat(runner(client)).isEqualTo("elsewhere");
        }
    }

    /// Others may wait for its outcome.
    @Test
    void a_command_runs_also_if_the_request_moves_to_another_thread() throws Exception {
        var moving = TestServer.eager("/moving", this::moved);
        try (var server = TestServer.with(ONE_THREAD, commands(), moving);
                var client = server.connect()) {
            await().until(() -> runner(client).equals("here"));
            assertThat(client.request("GET /moving").answer().text()).isEqualTo("\"here\"");
        }
    }

    private volatile CompletableFuture<String> left = new CompletableFuture<>();

    private Response moved(Request request) {
        if (!request.mayBlock()) {
            left = outcome();
        }
        request.requireThread();
        return text(left.join());
    }
}
