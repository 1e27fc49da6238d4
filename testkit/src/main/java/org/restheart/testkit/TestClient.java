package org.restheart.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
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

    public TestClient with(String name, String value) {
        var more = new ArrayList<>(headers);
        more.add(name);
        more.add(value);
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
        return with("Content-Type", "application/json").send("POST", target, json);
    }

    public HttpResponse<String> put(String target, String json) {
        return with("Content-Type", "application/json").send("PUT", target, json);
    }

    public HttpResponse<String> patch(String target, String json) {
        return with("Content-Type", "application/json").send("PATCH", target, json);
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

    private <T> HttpResponse<T> send(String method, String target, BodyPublisher body, BodyHandler<T> handler) {
        var request = HttpRequest.newBuilder(
                        URI.create("http://" + address.getHostString() + ":" + address.getPort() + target))
                .method(method, body.contentLength() == 0 ? BodyPublishers.noBody() : body);
        if (!headers.isEmpty()) {
            request.headers(headers.toArray(String[]::new));
        }
        try {
            return HTTP.send(request.build(), handler);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
