package org.restheart.perftest.experiment;

import static java.util.Locale.ROOT;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.restheart.perftest.load.RequestTemplate;

/// One more client among many, which measures how long refusals take. Sends ten requests a second over one connection
/// and blocks on it: where all processors are busy, each further thread of a client waits for a processor as well.
final class RefusalProbe implements Closeable {
    private static final int TIMEOUT_MILLIS = 60_000;

    private final Connection connection;
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
                    at(answeredMillis, 1),
                    refusedMillis.size(),
                    at(refusedMillis, 0.5),
                    at(refusedMillis, 0.95),
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
        connection = new Connection(dialect.port());
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
        var request = new StringBuilder("GET ")
                .append(traffic.target().replace("{}", number))
                .append(" HTTP/1.1\r\n");
        dialect.fields().forEach(field -> request.append(field).append("\r\n"));
        long start = System.nanoTime();
        try {
            var answer = connection.ask(request.append("\r\n").toString());
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

    /// Keep-alive; connects again after a failure.
    private static final class Connection {
        private static final String LENGTH = "content-length:";

        private final int port;
        private @Nullable Socket socket;
        private BufferedReader in = new BufferedReader(Reader.nullReader());

        Connection(int port) {
            this.port = port;
        }

        private record Answer(int status, boolean hasRetryAfter) {}

        Answer ask(String request) throws IOException {
            try {
                connected().getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
                return answer();
            } catch (IOException e) {
                close();
                throw e;
            }
        }

        private synchronized Socket connected() throws IOException {
            var open = socket;
            if (open == null) {
                open = new Socket();
                open.setTcpNoDelay(true);
                open.setSoTimeout(TIMEOUT_MILLIS);
                open.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MILLIS);
                in = new BufferedReader(new InputStreamReader(open.getInputStream(), StandardCharsets.ISO_8859_1));
                socket = open;
            }
            return open;
        }

        private Answer answer() throws IOException {
            int status = Integer.parseInt(line().substring(9, 12));
            int length = -1;
            boolean retryAfter = false;
            for (var line = line().toLowerCase(ROOT); !line.isEmpty(); line = line().toLowerCase(ROOT)) {
                retryAfter |= line.startsWith("retry-after:");
                if (line.startsWith(LENGTH)) {
                    length = Integer.parseInt(line.substring(LENGTH.length()).strip());
                }
            }
            if (length < 0) {
                throw new IOException("an answer without a length");
            }
            for (int left = length; left > 0; left--) {
                if (in.read() < 0) {
                    throw new IOException("closed in mid-answer");
                }
            }
            return new Answer(status, retryAfter);
        }

        private String line() throws IOException {
            var line = in.readLine();
            if (line == null) {
                throw new IOException("closed without an answer");
            }
            return line;
        }

        synchronized void close() {
            try (var _ = socket) {
                socket = null;
            } catch (IOException _) {
                // it is over
            }
        }
    }
}
