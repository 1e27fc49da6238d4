package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.core.server.TestServer.blocking;
import static org.restheart.core.server.TestServer.eager;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.restheart.core.routing.Binding;
import org.restheart.core.service.BuildInfo;
import org.restheart.core.service.HealthService;
import org.restheart.core.service.PingService;
import org.restheart.http.Content;
import org.restheart.http.Lease;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.http.Service.Traffic;
import org.restheart.testkit.Opened;

class ManyRequestsTest {
    /// Answers with the request's content, in batches, from threads of its own: as coalesced writes do.
    private static final class DeferredEcho implements AutoCloseable {
        private record Waiting(Request request, CompletableFuture<Response.Ready> eventual) {}

        private final LinkedBlockingQueue<Waiting> queue = new LinkedBlockingQueue<>();
        private final ArrayList<Thread> commands = new ArrayList<>();

        DeferredEcho(int commands) {
            for (int i = 0; i < commands; i++) {
                this.commands.add(Thread.ofPlatform().start(this::fly));
            }
        }

        Response handle(Request request) {
            var eventual = new CompletableFuture<Response.Ready>();
            queue.add(new Waiting(request, eventual));
            return Response.later(eventual, Function.identity());
        }

        private void fly() {
            var batch = new ArrayList<Waiting>();
            try {
                while (true) {
                    batch.add(queue.take());
                    queue.drainTo(batch, 20);
                    for (var waiting : batch) {
                        complete(waiting);
                    }
                    batch.clear();
                }
            } catch (InterruptedException _) {
                // the test is over
            }
        }

        private static void complete(Waiting waiting) {
            if (waiting.request.query().has("fail")) {
                waiting.eventual.completeExceptionally(new IllegalArgumentException("expected by the test"));
            } else {
                waiting.eventual.complete(Response.status(200)
                        .with(
                                "text/plain",
                                Content.Bytes.of(waiting.request.body().bytes(), Lease.CONSTANT)));
            }
        }

        @Override
        public void close() {
            commands.forEach(Thread::interrupt);
        }
    }

    /// Else balancers take a gateway out since one of their clients sends much.
    @Test
    void probes_are_answered_whatever_else_their_address_asks() throws Exception {
        var state = new HealthService.State();
        var held = new CountDownLatch(1);
        try (var server = TestServer.of(
                        blocking("/work", request -> {
                            if (!request.query().has("quick")) {
                                join(held);
                            }
                            return Response.status(200);
                        }),
                        Binding.prefix(new PingService("here", false, new BuildInfo("", "")), "/ping", false),
                        Binding.prefix(new HealthService(HealthService.Check.LIVE, state), "/live", false));
                var others = new Opened<RawClient>();
                var client = server.connect()) {
            try {
                for (int i = 0; i < 300; i++) {
                    others.add(server.connect()).request("GET /work");
                }
                await().until(() -> client.request("GET /work?quick").answer().status() == 503);
                for (var probe : List.of("/ping", "/live")) {
                    assertThat(client.request("GET " + probe).answer().status())
                            .as(probe)
                            .isEqualTo(200);
                }
            } finally {
                held.countDown();
            }
        }
    }

    private static void join(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new CancellationException(e.toString());
        }
    }

    @Test
    void deferred_responses_are_neither_lost_nor_crossed() throws Exception {
        try (var echo = new DeferredEcho(3);
                var server = TestServer.of(eager("/", echo::handle));
                var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            var runs = new ArrayList<Callable<Integer>>();
            for (int c = 0; c < 64; c++) {
                int client = c;
                runs.add(() -> talk(server, client, 200));
            }
            int answered = 0;
            for (var run : clients.invokeAll(runs)) {
                answered += run.get();
            }
            assertThat(answered).isEqualTo(64 * 200);
            await().until(() -> server.listener().inFlight() == 0);
            assertThat(server.observations()).hasSize(64 * 200);
        }
    }

    /// Sends requests in small pipelined bursts; sizes differ, so that a crossed or doubled response cannot go
    /// unnoticed.
    private static int talk(TestServer server, int client, int requests) throws IOException {
        int answered = 0;
        try (var connection = server.connect()) {
            while (answered < requests) {
                int burst = Math.min(1 + ThreadLocalRandom.current().nextInt(4), requests - answered);
                for (int i = 0; i < burst; i++) {
                    var content = content(client, answered + i);
                    connection
                            .request("POST /", "Content-Length: " + content.length())
                            .send(content);
                }
                for (int i = 0; i < burst; i++) {
                    assertThat(connection.answer().text()).isEqualTo(content(client, answered + i));
                }
                answered += burst;
            }
        }
        return answered;
    }

    private static String content(int client, int request) {
        return "client " + client + " request " + request + ".".repeat((client * 31 + request * 17) % 3000);
    }

    @Test
    void a_deferred_failure_is_answered() throws Exception {
        try (var echo = new DeferredEcho(1);
                var server = TestServer.of(eager("/", echo::handle));
                var client = server.connect()) {
            assertThat(client.request("GET /?fail").answer().status()).isEqualTo(500);
            assertThat(client.request("GET /").answer().status()).isEqualTo(200);
        }
    }

    @Test
    void clients_that_disconnect_before_their_deferred_response_affect_no_others() throws Exception {
        var eventual = new CompletableFuture<Response.Ready>();
        try (var server = TestServer.of(
                eager("/late", _ -> Response.later(eventual, Function.identity())),
                eager("/", _ -> Response.json(200, "{}")))) {
            for (int i = 0; i < 20; i++) {
                var client = server.connect();
                client.request("GET /late");
                int arrived = i + 1;
                await().until(() -> server.listener().inFlight() == arrived);
                if (i % 2 == 0) {
                    client.reset();
                } else {
                    client.close();
                }
            }
            eventual.complete(Response.json(200, "x".repeat(100_000), Lease.CONSTANT));
            await().until(() -> server.listener().inFlight() == 0);
            try (var client = server.connect()) {
                assertThat(client.request("GET /").answer().status()).isEqualTo(200);
            }
        }
    }

    @Test
    void slow_posts_leave_no_descriptors_behind() throws Exception {
        try (var server = TestServer.of(blocking(
                "/",
                request -> Response.status(200)
                        .with("text/plain", Content.Bytes.of(request.body().bytes(), Lease.CONSTANT))))) {
            slowPosts(server, 10); // what is opened once is opened now
            long before = descriptors();
            slowPosts(server, 150);
            await().untilAsserted(() -> assertThat(descriptors()).isLessThan(before + 20));
        }
    }

    private static void slowPosts(TestServer server, int count) throws IOException {
        var clients = new ArrayList<RawClient>();
        for (int i = 0; i < count; i++) {
            var client = server.connect();
            clients.add(client);
            client.request("POST /", "Content-Length: 100000").send("x".repeat(50_000));
        }
        for (var client : clients) {
            client.send("y".repeat(50_000));
        }
        for (var client : clients) {
            assertThat(client.answer().body()).hasSize(100_000);
            client.close();
        }
    }

    private static long descriptors() throws IOException {
        try (var open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        }
    }

    @Test
    void one_address_does_not_have_all_requests_in_flight() throws Exception {
        var eventual = new CompletableFuture<Response.Ready>();
        try (var server = TestServer.with(
                        "",
                        100,
                        eager("/late", _ -> Response.later(eventual, Function.identity())),
                        eager("/", _ -> Response.status(200)));
                var many = new RawHttp2(server.listener().address());
                var other = new RawClient(server.listener().address(), "127.0.0.9")) {
            for (int i = 0; i < 120; i++) {
                many.get(2 * i + 1, "/late");
            }
            await().until(() -> server.listener().inFlight() + server.listener().rejected() >= 120);
            assertThat(server.listener().rejected()).isPositive();
            assertThat(server.listener().inFlight()).isGreaterThan(60);
            assertThat(other.request("GET /").answer().status()).isEqualTo(200);
            eventual.complete(Response.status(200));
            await().until(() -> server.listener().inFlight() == 0);
            assertThat(other.request("GET /").answer().status()).isEqualTo(200);
        }
    }

    @Test
    void places_that_need_no_share_are_free_again_while_all_shares_are_held() throws Exception {
        var early = new CompletableFuture<Response.Ready>();
        var late = new CompletableFuture<Response.Ready>();
        try (var server = TestServer.with(
                        "",
                        20,
                        eager("/early", _ -> Response.later(early, Function.identity())),
                        eager("/late", _ -> Response.later(late, Function.identity())),
                        eager("/", _ -> Response.status(200)));
                var first = new RawHttp2(server.listener().address());
                var sharers = new Opened<RawClient>();
                var other = new RawClient(server.listener().address(), "127.0.0.99")) {
            for (int i = 0; i < 10; i++) {
                first.get(2 * i + 1, "/early");
            }
            await().until(() -> server.listener().inFlight() == 10);
            for (int i = 0; i < 10; i++) {
                sharers.add(new RawClient(server.listener().address(), "127.0.0." + (i + 10)))
                        .request("GET /late");
            }
            await().until(() -> server.listener().inFlight() == 20);
            assertThat(other.request("GET /").answer().status()).isEqualTo(503);
            early.complete(Response.status(200));
            await().until(() -> server.listener().inFlight() == 10);
            assertThat(other.request("GET /").answer().status()).isEqualTo(200);
            late.complete(Response.status(200));
        }
    }

    @Test
    void a_request_that_cannot_be_started_is_not_in_flight() throws Exception {
        var isServed = new AtomicBoolean();
        var service = new Service() {
            @Override
            public Response handle(Request request) {
                return Response.status(200);
            }

            @Override
            public Traffic traffic() {
                if (isServed.get()) {
                    throw new IllegalStateException("expected by the test");
                }
                return Traffic.API;
            }
        };
        try (var server = TestServer.of(Binding.prefix(service, "/", false));
                var client = server.connect()) {
            isServed.set(true);
            assertThat(client.request("GET /").answer().status()).isEqualTo(500);
            await().until(() -> server.listener().inFlight() == 0);
        }
    }

    @Test
    void requests_beyond_the_bound_are_refused_for_the_moment() throws Exception {
        var eventual = new CompletableFuture<Response.Ready>();
        try (var server = TestServer.with("", 2, eager("/", _ -> Response.later(eventual, Function.identity())));
                var one = server.connect();
                var two = server.connect();
                var three = server.connect()) {
            one.request("GET /");
            two.request("GET /");
            await().until(() -> server.listener().inFlight() == 2);
            var refused = three.request("GET /").answer();
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.header("Retry-After")).contains("1");
            assertThat(server.listener().rejected()).isEqualTo(1);
            eventual.complete(Response.status(200));
            assertThat(one.answer().status()).isEqualTo(200);
            assertThat(two.answer().status()).isEqualTo(200);
            await().until(() -> server.listener().inFlight() == 0);
            assertThat(three.request("GET /").answer().status()).isEqualTo(200);
        }
    }
}
