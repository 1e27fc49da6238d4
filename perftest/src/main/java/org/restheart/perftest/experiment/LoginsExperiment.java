package org.restheart.perftest.experiment;

import static java.util.Locale.ROOT;

import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.restheart.perftest.deploy.Mongo;
import org.restheart.perftest.load.Pace;
import org.restheart.perftest.report.Row;
import org.restheart.perftest.workload.Operation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `logins`: the effect of password guessing, each attempt of which costs the gateway a bcrypt hash, on other
/// requests: pings, a reader with a cached password, and a first log-in.
@Command(
        name = "logins",
        description = "Pings and reads by somebody with an account, each at a constant rate, and a first log-in, while "
                + "so many clients log in with wrong passwords, as fast as they are refused.",
        footer = "Takes three minutes.")
public final class LoginsExperiment extends Experiment {
    private static final int DOCUMENTS = 1000;

    @Option(names = "--logins", split = ",", description = "Parallel bad logins; default ${DEFAULT-VALUE}.")
    List<Integer> logins = List.of(0, 500);

    @Option(names = "--rate", description = "Of pings and of reads per second, open loop; default ${DEFAULT-VALUE}.")
    double rate = 200;

    @Option(names = "--ping-connections", description = "Of either; default ${DEFAULT-VALUE}.")
    int connections = 16;

    private final List<String> notes = new ArrayList<>();

    @Override
    Findings measure(TestBed bed) throws Exception {
        var mongo = bed.mongo();
        var data = bed.keep(new Dataset(mongo));
        var read = new Operation.FindById(data.loaded(DOCUMENTS, 150), DOCUMENTS);
        var ping = new Operation.Ping(read.namespace());
        AccountFixture.write(mongo, false);
        var reader = bed.gateway("gateway", mongo, AccountFixture.configuration())
                .as("gateway", AccountFixture.READER)
                .alsoWatching("bad logins", ProcessHandle.current().pid());
        var anybody = reader.as("gateway", "");
        var path = read.namespace().path();
        var port = reader.dialect().port();
        try (var probe = new LogInProbe(port, path)) {
            probe.check(AccountFixture.READER, AccountFixture.NAME + ":wrong");
        }
        bed.verify(anybody, mongo, ping);
        bed.verify(reader, mongo, read);
        var journal = run.journal(2 * logins.size() * run.repetitions);
        var answers = new TreeMap<Integer, BadLogins.Answers>();
        for (var repetition = 1; repetition <= run.repetitions; repetition++) {
            for (var level : logins) {
                var answered = answers.computeIfAbsent(level, _ -> new BadLogins.Answers());
                try (var _ = BadLogins.start(port, path, AccountFixture.NAME, level, answered)) {
                    journal.add(row(anybody, ping, level, repetition, journal));
                    journal.add(row(reader, read, level, repetition, journal));
                    newcomer(mongo, port, path, level, repetition);
                }
            }
        }
        AccountFixture.removeNewcomers(mongo);
        for (var level : answers.entrySet()) {
            notes.add(refusals(level.getKey(), level.getValue()));
        }
        return new Findings(
                "logins",
                "How long do pings take, and reads by an account, while others log in with wrong passwords? " + rate
                        + " are due each second.",
                "bad logins",
                "",
                Map.of(
                        "gateway's configuration",
                        "accounts and permissions in MongoDB; else " + target.configuration(),
                        "passwords",
                        "bcrypt of cost 12, in a collection",
                        RunOptions.LOAD_CLIENT,
                        "open loop at " + rate + "/s over " + connections
                                + " connections; the bad logins: the JDK's HTTP client in the harness, closed loop"),
                journal,
                notes);
    }

    private Row row(HttpSubject subject, Operation operation, int level, int repetition, Journal journal)
            throws IOException {
        var window = journal.warmedUp(subject.name(), operation.label(), run.window());
        var measured = subject.measure(operation, connections, new Pace.Open(rate), window);
        return new Row(operation.label(), subject.name(), level, repetition, measured);
    }

    private void newcomer(Mongo mongo, int port, String path, int level, int repetition)
            throws IOException, InterruptedException {
        try (var probe = new LogInProbe(port, path)) {
            var admitted = probe.retryUntilAdmitted(AccountFixture.newcomer(mongo));
            notes.add(String.format(
                    ROOT,
                    "%d bad logins, repetition %d: a first log-in with the right password took %.2f s and %d attempts",
                    level,
                    repetition,
                    admitted.seconds(),
                    admitted.attempts()));
        }
    }

    private static String refusals(int level, BadLogins.Answers answers) throws IOException {
        if (!answers.nobodyLetIn()) {
            throw new IOException("wrong passwords were let in: " + answers);
        }
        return level == 0
                ? "0 bad logins: nobody tried"
                : level + " bad logins, all repetitions: answered with " + answers + "; nobody was let in";
    }

    /// Clients that log in with an account that exists and passwords that are wrong, another each time, until closed.
    private static final class BadLogins implements AutoCloseable {
        private final ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor();
        private final LogInProbe probe;
        private final String account;
        private final Answers answers;

        /// How often which answer came. Thread-safe.
        static final class Answers {
            private final Map<String, LongAdder> counts = new ConcurrentSkipListMap<>();

            private void count(String kind) {
                counts.computeIfAbsent(kind, _ -> new LongAdder()).increment();
            }

            /// Whether all were refusals or requests to come again.
            boolean nobodyLetIn() {
                return counts.keySet().stream().noneMatch(kind -> kind.startsWith("HTTP 2"));
            }

            @Override
            public String toString() {
                return counts.toString();
            }
        }

        private BadLogins(LogInProbe probe, String account, Answers answers) {
            this.probe = probe;
            this.account = account;
            this.answers = answers;
        }

        static BadLogins start(int port, String path, String account, int count, Answers answers) {
            var logins = new BadLogins(new LogInProbe(port, path), account, answers);
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
            try {
                return "HTTP "
                        + probe.send(account + ":wrong-"
                                + ThreadLocalRandom.current().nextLong());
            } catch (IOException e) {
                return e.getClass().getSimpleName();
            }
        }

        @Override
        public void close() {
            clients.shutdownNow();
            clients.close();
            probe.close();
        }
    }

    /// A resource that only those who log in may read. Thread-safe.
    private static final class LogInProbe implements Closeable {
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
}
