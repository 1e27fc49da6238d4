package org.restheart.core.server;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.restheart.core.config.CoreConfig.ErrorBodies;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.config.SecurityGuards;
import org.restheart.core.filter.ErrorMapping;
import org.restheart.core.filter.Pipeline;
import org.restheart.core.observation.Observation;
import org.restheart.core.routing.Binding;
import org.restheart.core.routing.Router;
import org.restheart.http.Content;
import org.restheart.http.MemoryBudget;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.http.WebSocketHandshake;
import org.restheart.http.push.Backlog;
import org.restheart.http.push.Subscription;
import org.restheart.http.push.Transport;
import org.restheart.security.ClientAddress;

/// A server on a free port with services made of lambdas.
final class TestServer implements AutoCloseable {
    private final UndertowListener listener;
    private final List<Observation> observations = new CopyOnWriteArrayList<>();
    private volatile Runnable atEnd = () -> {};

    private static final Duration PATIENCE = Duration.ofSeconds(8);

    /// Longer than a busy machine keeps a client that means to send.
    private static final Duration ARRIVAL = Duration.ofSeconds(30);

    private TestServer(ServerSettings settings, boolean forceEncoding, List<Binding> bindings) {
        var pipeline = new Pipeline(
                new Pipeline.Settings(
                        true,
                        true,
                        forceEncoding,
                        List.of("traceparent"),
                        ErrorBodies.MINIMAL,
                        false,
                        new SecurityGuards.Cors(List.of(), false, List.of(), 600),
                        new ClientAddress.Peer(),
                        false),
                new ErrorMapping(_ -> Optional.empty()),
                _ -> (request, next) -> next.handle(request),
                _ -> (request, next) -> next.handle(request),
                Optional.empty());
        var router = new Router(bindings.stream().map(pipeline::assemble).toList());
        this.listener = UndertowListener.start(settings, router, this::completed, Optional.empty());
    }

    private void completed(Observation observation) {
        observations.add(observation);
        atEnd.run();
    }

    static TestServer of(Binding... bindings) {
        return with("", bindings);
    }

    /// @param yaml more configuration
    static TestServer with(String yaml, Binding... bindings) {
        return with(yaml, 1_000, bindings);
    }

    static TestServer with(String yaml, int maxRequestsInFlight, Binding... bindings) {
        return with(yaml, maxRequestsInFlight, ARRIVAL, PATIENCE, bindings);
    }

    /// Waits a second for content.
    static TestServer impatient(Binding... bindings) {
        return with("", 1_000, Duration.ofSeconds(1), Duration.ofSeconds(8), bindings);
    }

    /// @param content how long nothing of a request may arrive
    /// @param response how long a client may take nothing of a response
    static TestServer with(
            String yaml, int maxRequestsInFlight, Duration content, Duration response, Binding... bindings) {
        return start(listener(0) + yaml, maxRequestsInFlight, content, response, bindings);
    }

    static TestServer onPort(int port, Binding... bindings) {
        return start(listener(port), 1_000, ARRIVAL, PATIENCE, bindings);
    }

    /// Listens by TLS alone.
    ///
    /// @param listener the block `https-listener`
    static TestServer tls(String listener, Binding... bindings) {
        return start(
                "http-listener: {enabled: false}\nhttps-listener: " + listener, 1_000, ARRIVAL, PATIENCE, bindings);
    }

    private static String listener(int port) {
        return "http-listener: {host: 127.0.0.1, port: " + port + "}\n";
    }

    private static TestServer start(
            String yaml, int maxRequestsInFlight, Duration content, Duration response, Binding... bindings) {
        var settings = ServerSettings.of(GatewayConfig.parse(yaml));
        var limits = new ServerSettings.Limits(
                10_000,
                10_000,
                maxRequestsInFlight,
                64 << 20,
                64 << 20,
                new MemoryBudget(64 << 20),
                1 << 20,
                64L << 30,
                content,
                response);
        return new TestServer(
                new ServerSettings(
                        settings.core(),
                        settings.http(),
                        settings.https(),
                        settings.connection(),
                        limits,
                        settings.clients()),
                settings.core().forceGzipEncoding(),
                Arrays.asList(bindings));
    }

    /// A service that always runs on a thread of its own.
    static Binding blocking(String uri, Function<Request, Response> handler) {
        return Binding.prefix(new Lambda(uri, false, false, handler), uri, false);
    }

    /// A service that is tried on the I/O thread.
    static Binding eager(String uri, Function<Request, Response> handler) {
        return Binding.prefix(new Lambda(uri, true, false, handler), uri, false);
    }

    /// A service that reads content while it arrives.
    static Binding streaming(String uri, Function<Request, Response> handler) {
        return Binding.prefix(new Lambda(uri, false, true, handler), uri, false);
    }

    /// A service to whose messages clients listen.
    ///
    /// @param opened takes the messages of each client
    static Binding pushing(String uri, Transport transport, Consumer<Backlog> opened) {
        return pushing(uri, _ -> {
            var backlog = new Backlog(100, 1 << 20);
            opened.accept(backlog);
            return new Subscription(transport, backlog, Duration.ZERO, _ -> {}, () -> {});
        });
    }

    /// The same for event streams and WebSockets, as clients ask.
    ///
    /// @param gone runs when a client has left
    static Binding pushing(String uri, Supplier<Backlog> backlogs, Runnable gone) {
        return pushing(
                uri, request -> new Subscription(transport(request), backlogs.get(), Duration.ZERO, _ -> {}, gone));
    }

    static Binding pushing(String uri, Function<Request, Subscription> subscribe) {
        return blocking(uri, request -> {
            var subscription = subscribe.apply(request);
            var content = new Content.Push(subscription);
            return subscription.transport() == Transport.SSE
                    ? Response.status(200).with("text/event-stream; charset=UTF-8", content)
                    : Response.status(101)
                            .with(WebSocketHandshake.answer(request.headers()))
                            .with(content);
        });
    }

    /// For which a client asks.
    static Transport transport(Request request) {
        return WebSocketHandshake.isAsked(request.headers()) ? Transport.WEB_SOCKET : Transport.SSE;
    }

    RawClient connect() throws IOException {
        return new RawClient(listener.address());
    }

    UndertowListener listener() {
        return listener;
    }

    /// Runs when a request is over, and holds up the thread on which that happens.
    void atEnd(Runnable run) {
        atEnd = run;
    }

    /// Of requests that are over, in that order.
    List<Observation> observations() {
        return new ArrayList<>(observations);
    }

    @Override
    public void close() {
        listener.stop(Duration.ofSeconds(1));
    }

    private record Lambda(String name, boolean onIoThread, boolean streams, Function<Request, Response> handler)
            implements Service {
        @Override
        public Response handle(Request request) {
            return handler.apply(request);
        }

        @Override
        public boolean startsOnIoThread(Request request) {
            return onIoThread;
        }

        @Override
        public boolean streamsContent(Request request) {
            return streams;
        }
    }
}
