package org.restheart.perftest.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.undertow.Undertow;
import io.undertow.server.HttpHandler;
import io.undertow.util.Headers;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.restheart.perftest.measure.CpuWatch;
import org.restheart.perftest.measure.Measurement;
import org.restheart.perftest.measure.Recording;
import org.restheart.perftest.workload.Documents;
import org.restheart.perftest.workload.Window;

class HttpLoadTest {
    private final AtomicInteger requests = new AtomicInteger();
    private final Set<String> targets = ConcurrentHashMap.newKeySet();
    private Undertow server = Undertow.builder().build();

    @AfterEach
    void stop() {
        server.stop();
    }

    @Test
    void so_many_operations_are_recorded_and_no_more() throws Exception {
        serve(exchange -> exchange.getResponseSender().send("[]"));
        var measured = run(get("/"), 8, 2, new Pace.Closed(), new Window(50, 20_000, 500));
        assertThat(measured.operations()).isEqualTo(500);
        assertThat(measured.errors()).isEmpty();
        assertThat(measured.seconds()).isPositive().isLessThan(20);
        assertThat(measured.latency().max()).isPositive();
    }

    @Test
    void unexpected_statuses_are_counted_apart() throws Exception {
        serve(exchange -> exchange.setStatusCode(requests.getAndIncrement() % 4 == 0 ? 503 : 200)
                .endExchange());
        var measured = run(get("/"), 1, 1, new Pace.Closed(), new Window(0, 20_000, 400));
        assertThat(measured.errors()).containsOnlyKeys("HTTP 503").containsValue(100L);
        assertThat(measured.operations()).isEqualTo(300);
    }

    @Test
    void a_server_that_closes_is_connected_to_again() throws Exception {
        serve(exchange -> {
            exchange.getResponseHeaders().put(Headers.CONNECTION, "close");
            exchange.getResponseSender().send("[]");
        });
        var measured = run(get("/"), 2, 1, new Pace.Closed(), new Window(0, 20_000, 50));
        assertThat(measured.operations()).isEqualTo(50);
        assertThat(measured.errors()).isEmpty();
    }

    @Test
    void ids_and_numbers_fill_the_place() throws Exception {
        serve(exchange -> {
            targets.add(exchange.getRequestPath() + "?" + exchange.getQueryString());
            exchange.getResponseSender().send("[]");
        });
        run(
                get("/db/coll/{}", new RequestTemplate.Slot.RandomId(3)),
                1,
                1,
                new Pace.Closed(),
                new Window(0, 20_000, 100));
        assertThat(targets)
                .containsExactlyInAnyOrder(
                        "/db/coll/" + Documents.id(0) + "?",
                        "/db/coll/" + Documents.id(1) + "?",
                        "/db/coll/" + Documents.id(2) + "?");
        targets.clear();
        run(
                get("/?page={}", new RequestTemplate.Slot.GrowingNumber(5, 3)),
                1,
                1,
                new Pace.Closed(),
                new Window(0, 20_000, 3));
        assertThat(targets).contains("/?page=5", "/?page=8", "/?page=11");
    }

    @Test
    void an_open_load_keeps_its_rate() throws Exception {
        serve(exchange -> exchange.getResponseSender().send("[]"));
        var measured = run(get("/"), 16, 2, new Pace.Open(400), new Window(100, 1000, 0));
        assertThat(measured.operations()).isLessThanOrEqualTo(441);
        assertThat(measured.operations() + measured.behind()).isBetween(380L, 441L);
    }

    /// One stall of 300 ms on the only connection delays all that was due meanwhile: about 120 of 400 requests per
    /// second. A closed load would record a single slow request.
    @Test
    void an_open_load_charges_a_stall_to_everyone_it_kept_waiting() throws Exception {
        serve(exchange -> {
            if (requests.getAndIncrement() == 100) {
                exchange.dispatch(blocked -> {
                    pause(300);
                    blocked.getResponseSender().send("[]");
                });
            } else {
                exchange.getResponseSender().send("[]");
            }
        });
        var measured = run(get("/"), 1, 1, new Pace.Open(400), new Window(0, 1000, 0));
        assertThat(measured.latency().p90()).isGreaterThan(50_000);
        assertThat(measured.latency().max()).isGreaterThan(250_000);
    }

    @Test
    void requests_that_could_not_be_sent_in_time_are_reported() throws Exception {
        serve(exchange -> exchange.dispatch(blocked -> {
            pause(100);
            blocked.getResponseSender().send("[]");
        }));
        var measured = run(get("/"), 1, 1, new Pace.Open(100), new Window(0, 500, 0));
        assertThat(measured.behind()).isBetween(35L, 50L);
    }

    private static void pause(long millis) throws InterruptedException {
        assertThat(new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS)).isFalse();
    }

    private void serve(HttpHandler handler) {
        server = Undertow.builder()
                .addHttpListener(0, "127.0.0.1")
                .setIoThreads(1)
                .setWorkerThreads(2)
                .setHandler(handler)
                .build();
        server.start();
    }

    private Measurement run(RequestTemplate traffic, int connections, int threads, Pace pace, Window window)
            throws Exception {
        var address = (InetSocketAddress) server.getListenerInfo().getFirst().getAddress();
        return new HttpLoad("127.0.0.1", address.getPort(), traffic, connections, threads, pace, window, 1)
                .run(new Recording(new CpuWatch(Map.of()).alsoThisProcess("test")));
    }

    private static RequestTemplate get(String target) {
        return get(target, new RequestTemplate.Slot.Nothing());
    }

    private static RequestTemplate get(String target, RequestTemplate.Slot slot) {
        return new RequestTemplate("GET", target, List.of("Host: test"), "", slot);
    }
}
