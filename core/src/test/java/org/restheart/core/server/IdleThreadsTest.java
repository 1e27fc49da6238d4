package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.http.Response;
import org.restheart.testkit.Patience;

/// Clients that have closed their side of a connection whose request is in progress cost nothing.
class IdleThreadsTest {
    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void a_client_that_has_gone_does_not_occupy_a_thread(boolean late, boolean half) throws Exception {
        var ioThread = new AtomicLong();
        var begun = new Semaphore(0);
        var end = new Semaphore(0);
        var slow = TestServer.blocking("/slow", request -> {
            request.body().bytes();
            begun.release();
            end.acquireUninterruptibly();
            return Response.status(200);
        });
        var eager = TestServer.eager("/", _ -> {
            ioThread.set(Thread.currentThread().threadId());
            return Response.status(200);
        });
        try (var server = TestServer.with("core: {io-threads: 1}", slow, eager);
                var client = server.connect()) {
            client.request("GET /").answer();
            try (var socket = new Socket()) {
                socket.connect(server.listener().address());
                var out = socket.getOutputStream();
                out.write("POST /slow HTTP/1.1\r\nHost: test\r\nContent-Length: 300000\r\n\r\n"
                        .getBytes(StandardCharsets.US_ASCII));
                if (late) {
                    await().until(() -> server.listener().inFlight() == 1);
                }
                out.write(new byte[300_000]);
                begun.acquire();
                if (half) {
                    socket.shutdownOutput();
                } else {
                    socket.close();
                }
                var threads = ManagementFactory.getThreadMXBean();
                long before = threads.getThreadCpuTime(ioThread.get());
                TimeUnit.SECONDS.sleep(1);
                assertThat(Duration.ofNanos(threads.getThreadCpuTime(ioThread.get()) - before))
                        .isLessThan(Patience.relative(Duration.ofMillis(300)));
            } finally {
                end.release();
            }
        }
    }
}
