package org.restheart.perftest.experiment;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/// Clients that log in with an account that exists and passwords that are wrong, another each time, until closed.
final class BadLogins implements AutoCloseable {
    private final ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor();
    private final EntryPoint entryPoint;
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

    private BadLogins(EntryPoint entryPoint, String account, Answers answers) {
        this.entryPoint = entryPoint;
        this.account = account;
        this.answers = answers;
    }

    static BadLogins start(int port, String path, String account, int count, Answers answers) {
        var logins = new BadLogins(new EntryPoint(port, path), account, answers);
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
                    + entryPoint.knock(
                            account + ":wrong-" + ThreadLocalRandom.current().nextLong());
        } catch (IOException e) {
            return e.getClass().getSimpleName();
        }
    }

    @Override
    public void close() {
        clients.shutdownNow();
        clients.close();
        entryPoint.close();
    }
}
