package org.restheart.perftest.experiment;

import static java.util.Locale.ROOT;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.restheart.perftest.load.RequestTemplate;
import org.restheart.perftest.report.Spread;
import org.restheart.perftest.ycsb.BlockingHttp;

/// One more client among many, which measures how long refusals take. Sends ten requests a second over one connection
/// and blocks on it: where all processors are busy, each further thread of a client waits for a processor as well.
final class RefusalProbe implements Closeable {
    private final BlockingHttp connection;
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
                    "%d answered, at the longest after %.0f ms, %d refused, half of them within %.1f ms, 95 %% within %.0f ms, all within %.0f ms, %d without"
                            + " Retry-After, %d others",
                    answeredMillis.size(),
                    Spread.percentile(answeredMillis, 1),
                    refusedMillis.size(),
                    Spread.percentile(refusedMillis, 0.5),
                    Spread.percentile(refusedMillis, 0.95),
                    Spread.percentile(refusedMillis, 1),
                    withoutRetryAfter,
                    others);
        }
    }

    RefusalProbe(RestDialect dialect, RequestTemplate traffic) {
        connection = dialect.connection();
        thread = Thread.ofPlatform().start(() -> {
            while (!over) {
                ask(dialect, traffic);
            }
        });
    }

    private void ask(RestDialect dialect, RequestTemplate traffic) {
        var number = Integer.toString(ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE));
        var head = dialect.head(traffic.target().replace("{}", number));
        long start = System.nanoTime();
        try {
            var answer = connection.exchange(head, new byte[0]);
            double millis = (System.nanoTime() - start) / 1e6;
            if (answer.status() == 503) {
                refused.add(millis);
                withoutRetryAfter += answer.hasRetryAfter() ? 0 : 1;
            } else if (answer.status() == 200) {
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
        connection.close();
    }
}
