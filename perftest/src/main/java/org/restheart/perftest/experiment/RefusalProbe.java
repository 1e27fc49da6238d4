package org.restheart.perftest.experiment;

import static java.util.Locale.ROOT;

import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.restheart.perftest.load.RequestTemplate;

/// One more client among many, which measures how long refusals take. Sends ten requests a second.
final class RefusalProbe implements Closeable {
    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final List<Double> refused = new ArrayList<>();
    private final List<Double> answered = new ArrayList<>();
    private final Thread thread;
    private volatile boolean over;
    private int withoutRetryAfter;
    private int others;

    /// What such a client saw.
    ///
    /// @param others neither answered nor refused with `503`
    record Refusals(List<Double> answeredMillis, List<Double> refusedMillis, int withoutRetryAfter, int others) {
        @Override
        public String toString() {
            return String.format(
                    ROOT,
                    "%d answered, at the longest after %.0f ms, %d refused, half of them within %.0f ms, all within %.0f ms, %d without"
                            + " Retry-After, %d others",
                    answeredMillis.size(),
                    at(answeredMillis, 1),
                    refusedMillis.size(),
                    at(refusedMillis, 0.5),
                    at(refusedMillis, 1),
                    withoutRetryAfter,
                    others);
        }

        private static double at(List<Double> values, double share) {
            return values.isEmpty()
                    ? 0
                    : values.stream().sorted().toList().get((int) Math.ceil(share * values.size()) - 1);
        }
    }

    private RefusalProbe(RestDialect dialect, RequestTemplate traffic) {
        thread = Thread.ofPlatform().start(() -> {
            while (!over) {
                ask(dialect, traffic);
            }
        });
    }

    static RefusalProbe start(RestDialect dialect, RequestTemplate traffic) {
        return new RefusalProbe(dialect, traffic);
    }

    private void ask(RestDialect dialect, RequestTemplate traffic) {
        var number = Integer.toString(ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE));
        var request = HttpRequest.newBuilder(URI.create(
                        "http://127.0.0.1:" + dialect.port() + traffic.target().replace("{}", number)))
                .timeout(TIMEOUT);
        dialect.fields().stream()
                .filter(field -> !field.startsWith("Host:"))
                .forEach(field -> request.header(
                        field.substring(0, field.indexOf(':')), field.substring(field.indexOf(':') + 2)));
        long start = System.nanoTime();
        try {
            var response = http.send(request.build(), HttpResponse.BodyHandlers.discarding());
            double millis = (System.nanoTime() - start) / 1e6;
            if (response.statusCode() == 503) {
                refused.add(millis);
                withoutRetryAfter +=
                        response.headers().firstValue("Retry-After").isPresent() ? 0 : 1;
            } else if (response.statusCode() == 200) {
                answered.add(millis);
            } else {
                others++;
            }
            Thread.sleep(100);
        } catch (IOException _) {
            others++;
        } catch (InterruptedException _) {
            over = true;
        }
    }

    /// Waits for its last answer.
    Refusals end() throws InterruptedException {
        over = true;
        thread.join();
        return new Refusals(List.copyOf(answered), List.copyOf(refused), withoutRetryAfter, others);
    }

    @Override
    public void close() {
        over = true;
        http.shutdownNow();
        http.close();
    }
}
