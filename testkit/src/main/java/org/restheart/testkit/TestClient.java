package org.restheart.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// An HTTP client with fixed headers, such as credentials. Immutable and thread-safe.
public final class TestClient {
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final InetSocketAddress address;
    private final List<String> headers;

    private TestClient(InetSocketAddress address, List<String> headers) {
        this.address = address;
        this.headers = headers;
    }

    public static TestClient of(InetSocketAddress address) {
        return new TestClient(address, List.of());
    }

    /// Of a server on this computer.
    public static TestClient of(int port) {
        return of(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port));
    }

    /// @param namesAndValues one after the other
    public TestClient with(String... namesAndValues) {
        var more = new ArrayList<>(headers);
        more.addAll(List.of(namesAndValues));
        return new TestClient(address, List.copyOf(more));
    }

    public TestClient as(String user, String password) {
        return with("Authorization", basic(user, password));
    }

    /// The value of `Authorization` (RFC 7617).
    public static String basic(String user, String password) {
        var credentials = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
        return "Basic " + Base64.getEncoder().encodeToString(credentials);
    }

    public HttpResponse<String> get(String target) {
        return send("GET", target, "");
    }

    public HttpResponse<String> post(String target, String json) {
        return json("POST", target, json);
    }

    public HttpResponse<String> put(String target, String json) {
        return json("PUT", target, json);
    }

    public HttpResponse<String> patch(String target, String json) {
        return json("PATCH", target, json);
    }

    public HttpResponse<String> delete(String target) {
        return send("DELETE", target, "");
    }

    /// @throws UncheckedIOException if there is no response
    public HttpResponse<String> json(String method, String target, String json) {
        return with("Content-Type", "application/json").send(method, target, json);
    }

    /// @throws UncheckedIOException if there is no response
    public HttpResponse<String> send(String method, String target, String body) {
        return send(method, target, BodyPublishers.ofString(body), BodyHandlers.ofString());
    }

    /// As bytes, both ways.
    ///
    /// @throws UncheckedIOException if there is no response
    public HttpResponse<byte[]> sendBytes(String method, String target, byte[] body) {
        return send(method, target, BodyPublishers.ofByteArray(body), BodyHandlers.ofByteArray());
    }

    /// Returns when the head of the response is there.
    ///
    /// @throws UncheckedIOException if there is no response
    public HttpResponse<InputStream> open(String method, String target, String body) {
        return send(method, target, BodyPublishers.ofString(body), BodyHandlers.ofInputStream());
    }

    /// The response may end with an `IOException`.
    public CompletableFuture<HttpResponse<String>> sendAsync(String method, String target, String body) {
        return HTTP.sendAsync(request(method, target, BodyPublishers.ofString(body)), BodyHandlers.ofString());
    }

    private HttpRequest request(String method, String target, BodyPublisher body) {
        var request = HttpRequest.newBuilder(
                        URI.create("http://" + address.getHostString() + ":" + address.getPort() + target))
                .method(method, body.contentLength() == 0 ? BodyPublishers.noBody() : body);
        if (!headers.isEmpty()) {
            request.headers(headers.toArray(String[]::new));
        }
        return request.build();
    }

    /// @throws UncheckedIOException if there is no response
    public <T> HttpResponse<T> send(String method, String target, BodyPublisher body, BodyHandler<T> handler) {
        try {
            return HTTP.send(request(method, target, body), handler);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
