package org.restheart.perftest.experiment;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/// Clients that log in with an account that exists and passwords that are wrong, another each time, until closed.
final class BadLogins implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor();
    private final URI address;
    private final Answers answers;

    /// How often which answer came. Thread-safe.
    static final class Answers {
        private final Map<String, LongAdder> counts = new ConcurrentSkipListMap<>();

        private void count(String kind) {
            counts.computeIfAbsent(kind, _ -> new LongAdder()).increment();
        }

        @Override
        public String toString() {
            return counts.toString();
        }
    }

    private BadLogins(int port, Answers answers) {
        this.address = URI.create("http://127.0.0.1:" + port + "/" + Dataset.DATABASE);
        this.answers = answers;
    }

    static BadLogins start(int port, int count, Answers answers) {
        var logins = new BadLogins(port, answers);
        for (var i = 0; i < count; i++) {
            logins.clients.execute(logins::repeat);
        }
        return logins;
    }

    private void repeat() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                answers.count(attempt());
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private String attempt() throws InterruptedException {
        var wrong = "reader:wrong-" + ThreadLocalRandom.current().nextLong();
        var basic = Base64.getEncoder().encodeToString(wrong.getBytes(StandardCharsets.UTF_8));
        var request = HttpRequest.newBuilder(address)
                .timeout(PATIENCE)
                .header("Authorization", "Basic " + basic)
                .build();
        try {
            return "HTTP "
                    + http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        } catch (IOException e) {
            return e.getClass().getSimpleName();
        }
    }

    @Override
    public void close() {
        clients.shutdownNow();
        clients.close();
        http.shutdownNow();
        http.close();
    }
}
