package org.restheart.perftest.deploy;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/// Finds a port for a server that is about to start, and waits until it answers there.
final class Readiness {
    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final Duration BETWEEN_ATTEMPTS = Duration.ofMillis(50);

    private Readiness() {}

    static int freePort() throws IOException {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    /// Waits for a 200, and stops the process when none comes in time.
    ///
    /// @param log where the process writes, so that a failed start can be explained
    static void await(Process process, int port, String path, Path log) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(5))
                .build();
        var giveUp = System.nanoTime() + START_LIMIT.toNanos();
        try (var client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
            while (!answers(client, request)) {
                if (!process.isAlive() || System.nanoTime() > giveUp) {
                    Child.stop(process);
                    throw new IOException("the gateway did not start; its output is in " + log);
                }
                TimeUnit.NANOSECONDS.sleep(BETWEEN_ATTEMPTS.toNanos());
            }
        }
    }

    private static boolean answers(HttpClient client, HttpRequest request) throws InterruptedException {
        try {
            return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException _) {
            return false; // not listening yet
        }
    }
}
