package org.restheart.perftest.experiment;

import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.TimeUnit;

/// A resource that only those who log in may read. Thread-safe.
final class LogInProbe implements Closeable {
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final Duration PAUSE = Duration.ofMillis(100);

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI address;

    LogInProbe(int port, String path) {
        address = URI.create("http://127.0.0.1:" + port + path);
    }

    /// Sends one request.
    ///
    /// @param credentials `name:password`
    /// @return the status
    int send(String credentials) throws IOException, InterruptedException {
        var basic = Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8));
        var request = HttpRequest.newBuilder(address)
                .timeout(TIMEOUT)
                .header("Authorization", "Basic " + basic)
                .build();
        return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    }

    /// Repeats the request until it is admitted, with a pause after each `Retry-After`.
    ///
    /// @throws IOException when it is refused, or not let in within two minutes
    Admitted retryUntilAdmitted(String credentials) throws IOException, InterruptedException {
        var began = System.nanoTime();
        for (var attempts = 1; System.nanoTime() - began < TIMEOUT.toNanos(); attempts++) {
            var status = send(credentials);
            if (status == 200) {
                return new Admitted(attempts, (System.nanoTime() - began) / 1e9);
            }
            if (status != 503 && status != 429) {
                throw new IOException("the right password was answered with " + status);
            }
            TimeUnit.NANOSECONDS.sleep(PAUSE.toNanos());
        }
        throw new IOException("the right password was not let in within " + TIMEOUT);
    }

    /// Makes sure that passwords make a difference here.
    ///
    /// @throws IOException when they do not
    void check(String right, String wrong) throws IOException, InterruptedException {
        retryUntilAdmitted(right);
        var status = send(wrong);
        if (status != 401) {
            throw new IOException("a wrong password is answered with " + status + " instead of 401");
        }
    }

    /// How a caller was authenticated.
    record Admitted(int attempts, double seconds) {}

    @Override
    public void close() {
        http.shutdownNow();
        http.close();
    }
}
