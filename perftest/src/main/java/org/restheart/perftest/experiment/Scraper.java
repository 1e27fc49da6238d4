package org.restheart.perftest.experiment;

import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Asks a gateway for its metrics each second, as Prometheus does, and tells how long each scrape took.
final class Scraper implements Closeable {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int PAUSE_MILLIS = 1000;

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final List<Double> millis = new ArrayList<>();
    private final Thread thread;
    private volatile boolean over;
    private @Nullable IOException failure;

    private Scraper(RestDialect dialect) {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + dialect.port() + "/metrics"))
                .timeout(TIMEOUT)
                .header("Accept", "application/openmetrics-text; version=1.0.0; q=0.9, text/plain; q=0.5");
        dialect.fields().stream()
                .filter(field -> !field.startsWith("Host:"))
                .forEach(field -> request.header(
                        field.substring(0, field.indexOf(':')), field.substring(field.indexOf(':') + 2)));
        thread = Thread.ofPlatform().start(() -> scrape(request.build()));
    }

    static Scraper start(RestDialect dialect) {
        return new Scraper(dialect);
    }

    private void scrape(HttpRequest request) {
        try {
            while (!over) {
                Thread.sleep(PAUSE_MILLIS);
                long start = System.nanoTime();
                var response = http.send(request, HttpResponse.BodyHandlers.ofString());
                millis.add((System.nanoTime() - start) / 1e6);
                if (response.statusCode() != 200) {
                    throw new IOException("a scrape was answered with " + response.statusCode());
                }
            }
        } catch (IOException e) {
            failure = e;
        } catch (InterruptedException _) {
            over = true;
        }
    }

    /// Waits for the scrape in progress.
    ///
    /// @throws IOException if one has failed
    List<Double> end() throws IOException, InterruptedException {
        over = true;
        thread.join();
        if (failure != null) {
            throw failure;
        }
        return List.copyOf(millis);
    }

    @Override
    public void close() {
        over = true;
        http.shutdownNow();
        http.close();
    }
}
