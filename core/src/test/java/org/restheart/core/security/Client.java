package org.restheart.core.security;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/// Sends requests; immutable, so that one caller can be made from another.
final class Client {
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final InetSocketAddress address;
    private final List<String> headers;

    private Client(InetSocketAddress address, List<String> headers) {
        this.address = address;
        this.headers = headers;
    }

    static Client of(InetSocketAddress address) {
        return new Client(address, List.of());
    }

    Client with(String name, String value) {
        var more = new ArrayList<>(headers);
        more.add(name);
        more.add(value);
        return new Client(address, List.copyOf(more));
    }

    Client as(String name, String password) {
        var token = Base64.getEncoder().encodeToString((name + ":" + password).getBytes(StandardCharsets.UTF_8));
        return with("Authorization", "Basic " + token);
    }

    HttpResponse<String> get(String target) {
        return send("GET", target, "");
    }

    HttpResponse<String> post(String target, String json) {
        return with("Content-Type", "application/json").send("POST", target, json);
    }

    HttpResponse<String> put(String target, String json) {
        return with("Content-Type", "application/json").send("PUT", target, json);
    }

    HttpResponse<String> patch(String target, String json) {
        return with("Content-Type", "application/json").send("PATCH", target, json);
    }

    HttpResponse<String> send(String method, String target, String body) {
        var request = HttpRequest.newBuilder(
                        URI.create("http://" + address.getHostString() + ":" + address.getPort() + target))
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (!headers.isEmpty()) {
            request.headers(headers.toArray(String[]::new));
        }
        try {
            return HTTP.send(request.build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
