package org.restheart.core.chaos;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Sends requests to whichever gateway the balancer chooses. Thread-safe.
final class ChaosClient {
    private static final Duration TIMEOUT = Duration.ofSeconds(15);

    private static final HttpClient HTTP = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(3))
            .build();

    private final int port;
    private final Ledger ledger;

    ChaosClient(int port, Ledger ledger) {
        this.port = port;
        this.ledger = ledger;
    }

    /// @return null if the outcome is unknown: no response
    @Nullable
    HttpResponse<String> send(String method, String target, String body, String... headers)
            throws InterruptedException {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + target))
                .timeout(TIMEOUT)
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .header("Content-Type", "application/json")
                .header("Authorization", GatewayChild.CREDENTIALS);
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            var response = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
            ledger.answered(response.statusCode());
            return response;
        } catch (IOException _) {
            ledger.answered(0);
            return null;
        }
    }

    /// The status; 0 if there was no response.
    int status(String method, String target, String body, String... headers) throws InterruptedException {
        var response = send(method, target, body, headers);
        return response == null ? 0 : response.statusCode();
    }
}
