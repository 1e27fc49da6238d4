package org.restheart.core.security;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Updates.combine;
import static com.mongodb.client.model.Updates.set;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/// The responses that stay open for one caller, one of each kind: change streams and subscriptions of GraphQL, each
/// as WebSocket and as server-sent events, a WebSocket of GraphQL without subscription, a call of a tool that
/// waits, the progress of an import, a file that is received slowly, a response of a proxy's target.
final class OpenResponses implements AutoCloseable {
    /// How many there are.
    static final int KINDS = 9;

    /// Of the file `/big.files/slow`.
    static final int FILE = 100 << 20;

    static final String QUERY = "subscription {changed{operationType}}";

    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final InetSocketAddress address;
    private final String authorization;
    private final Map<String, CompletableFuture<?>> ends = new LinkedHashMap<>();
    private final Map<String, Runnable> closing = new LinkedHashMap<>();

    private OpenResponses(InetSocketAddress address, String authorization) {
        this.address = address;
        this.authorization = authorization;
    }

    /// Opens all.
    static OpenResponses open(TestGateway gateway, String authorization) throws Exception {
        var open = new OpenResponses(gateway.address(), authorization);
        open.webSocket("change stream, WebSocket", "/watched/_streams/all", null);
        open.events(
                "change stream, events", open.request("/watched/_streams/all").GET());
        open.webSocket("GraphQL, WebSocket", "/graphql/live", QUERY);
        open.webSocket("GraphQL, WebSocket without subscription", "/graphql/live", "");
        open.events(
                "GraphQL, events",
                open.request("/graphql/live")
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString("{\"query\": \"" + QUERY + "\"}")));
        open.call(gateway.database().getName());
        open.progress(gateway);
        open.download();
        open.events("proxied response", open.request("/back/events").GET());
        return open;
    }

    /// The target of the proxy at `/back`, whose responses do not end.
    static HttpServer target() throws IOException {
        var target = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        target.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write('.');
            exchange.getResponseBody().flush();
        });
        target.start();
        return target;
    }

    /// Which are open.
    java.util.List<String> stillOpen() {
        return ends.entrySet().stream()
                .filter(end -> !end.getValue().isDone())
                .map(Map.Entry::getKey)
                .toList();
    }

    private HttpRequest.Builder request(String target) {
        return HttpRequest.newBuilder(uri("http", target))
                .header("Authorization", authorization)
                .header("Accept", "text/event-stream");
    }

    private URI uri(String scheme, String target) {
        return URI.create(scheme + "://127.0.0.1:" + address.getPort() + target);
    }

    private void events(String name, HttpRequest.Builder request) throws IOException, InterruptedException {
        var response = HTTP.send(request.build(), BodyHandlers.ofInputStream());
        if (response.statusCode() != 200) {
            throw new AssertionError(name + ": " + response.statusCode());
        }
        var content = response.body();
        ends.put(
                name,
                CompletableFuture.runAsync(
                        () -> drain(content), task -> Thread.ofVirtual().start(task)));
        closing.put(name, () -> drainNoMore(content));
    }

    private static void drain(InputStream content) {
        try {
            content.transferTo(java.io.OutputStream.nullOutputStream());
        } catch (IOException _) { // cut off: it has ended
        }
    }

    private static void drainNoMore(InputStream content) {
        try {
            content.close();
        } catch (IOException _) { // closed already
        }
    }

    /// @param query of a subscription; empty for none; null for a socket that is not GraphQL's
    private void webSocket(String name, String target, @Nullable String query) throws Exception {
        var end = new CompletableFuture<Integer>();
        var answered = new CompletableFuture<Void>();
        var builder = HTTP.newWebSocketBuilder().header("Authorization", authorization);
        if (query != null) {
            builder.subprotocols("graphql-transport-ws");
        }
        var socket = builder.buildAsync(uri("ws", target), new WebSocket.Listener() {
                    @Override
                    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
                        if (data.toString().contains("pong")) {
                            answered.complete(null);
                        }
                        from.request(1);
                        return null;
                    }

                    @Override
                    public @Nullable CompletionStage<?> onClose(WebSocket from, int code, String reason) {
                        end.complete(code);
                        return null;
                    }

                    @Override
                    public void onError(WebSocket from, Throwable error) {
                        end.completeExceptionally(error);
                    }
                })
                .get(60, TimeUnit.SECONDS);
        if (query != null) {
            socket.sendText("{\"type\": \"connection_init\"}", true).join();
            if (!query.isEmpty()) {
                socket.sendText(
                                "{\"type\": \"subscribe\", \"id\": \"1\", \"payload\": {\"query\": \"" + query + "\"}}",
                                true)
                        .join();
            }
            socket.sendText("{\"type\": \"ping\"}", true).join(); // answered when the subscription is open
            answered.get(60, TimeUnit.SECONDS);
        }
        ends.put(name, end);
        closing.put(name, socket::abort);
    }

    private void call(String db) {
        var call = "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/call\", \"params\": {\"name\": \"watch\","
                + " \"arguments\": {\"database\": \"%s\", \"collection\": \"watched\", \"stream\": \"all\","
                        .formatted(db)
                + " \"max-seconds\": 50}}}";
        var response = HTTP.sendAsync(
                HttpRequest.newBuilder(uri("http", "/_mcp"))
                        .header("Authorization", authorization)
                        .header("Content-Type", "application/json")
                        .timeout(Duration.ofSeconds(60))
                        .POST(BodyPublishers.ofString(call))
                        .build(),
                BodyHandlers.ofString());
        ends.put("tool that waits", response.thenApply(answer -> BsonDocument.parse(answer.body())));
        closing.put("tool that waits", () -> response.cancel(true));
    }

    /// Of an import that is under way for another gateway.
    private void progress(TestGateway gateway) throws IOException, InterruptedException {
        var begun = HTTP.send(
                request("/_imports?into=/watched")
                        .header("Content-Type", "application/x-ndjson")
                        .POST(BodyPublishers.ofString("{}\n"))
                        .build(),
                BodyHandlers.ofString());
        if (begun.statusCode() != 202) {
            throw new AssertionError("import: " + begun.statusCode() + " " + begun.body());
        }
        var path = begun.headers().firstValue("Location").orElseThrow();
        var job = eq("_id", path.substring(path.lastIndexOf('/') + 1));
        await().until(() -> gateway.collection("_imports").countDocuments(and(job, eq("state", "done"))) == 1);
        gateway.collection("_imports")
                .updateOne(
                        job,
                        combine(set("state", "running"), set("until", new Date(System.currentTimeMillis() + 60_000))));
        events("progress of an import", request(path).GET());
    }

    /// At two megabytes in a second.
    private void download() throws IOException {
        var socket = new Socket();
        socket.setReceiveBufferSize(32 << 10);
        socket.connect(address);
        socket.getOutputStream()
                .write(("GET /big.files/slow/binary HTTP/1.1\r\nHost: test\r\nAuthorization: " + authorization
                                + "\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        var in = socket.getInputStream();
        var head = new String(in.readNBytes(12), StandardCharsets.US_ASCII);
        if (!head.equals("HTTP/1.1 200")) {
            throw new AssertionError("file: " + head);
        }
        ends.put(
                "file, received slowly",
                CompletableFuture.runAsync(
                        () -> receive(in), task -> Thread.ofVirtual().start(task)));
        closing.put("file, received slowly", () -> drainNoMore(in));
    }

    private static void receive(InputStream in) {
        try {
            long received = 0;
            var buffer = new byte[64 << 10];
            for (int n = in.read(buffer); n >= 0 && received < FILE; n = in.read(buffer)) {
                received += n;
                Thread.sleep(Math.max(1, n / 2_000));
            }
        } catch (IOException _) { // cut off: it has ended
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closing.values().forEach(Runnable::run);
    }
}
