package org.restheart.core.noninterference;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.restheart.testkit.TestMongo;

/// Runs test cases on several workers until a time limit or a number is reached. Collects one counterexample of each
/// kind.
final class FuzzRun {
    private static final Duration PROGRESS = Duration.ofMinutes(2);

    private final int maxKinds;
    private final int maxTrials;
    private final Set<String> lost;
    private final Optional<Path> plugins;
    private final Map<String, Counterexample> found = new LinkedHashMap<>();
    private final Map<String, Integer> looked = new HashMap<>();
    private final StatusCounts statusCounts = new StatusCounts();
    private final AtomicLong requests = new AtomicLong();
    private final long started = System.nanoTime();

    /// All workers share the collection of accounts: a test case that changes it runs exclusively.
    private final ReadWriteLock accounts = new ReentrantReadWriteLock();

    FuzzRun() {
        this(60, FuzzWorker.MAX_TRIALS, Set.of(), Optional.empty());
    }

    /// @param maxKinds of counterexamples; there is no other test case then
    /// @param maxTrials of making a counterexample smaller
    /// @param lost keys of permissions that one of the instances does not have, and neither has with plugins
    /// @param plugins the folder of those that both instances have
    FuzzRun(int maxKinds, int maxTrials, Set<String> lost, Optional<Path> plugins) {
        this.plugins = plugins;
        this.maxTrials = maxTrials;
        this.maxKinds = maxKinds;
        this.lost = lost;
    }

    /// The sequence of test cases, which the seed determines. Thread-safe.
    private static final class TestCases {
        private final RandomSource random;
        private final List<CallerProfile> profiles;
        private final long end;
        private long left;

        TestCases(long seed, List<CallerProfile> profiles, Duration time, long number) {
            random = new RandomSource(seed);
            this.profiles = profiles;
            end = System.nanoTime() + time.toNanos();
            left = number;
        }

        record TestCase(CallerProfile profile, long seed) {}

        synchronized Optional<TestCase> next() {
            return left-- > 0 && System.nanoTime() < end
                    ? Optional.of(new TestCase(random.pick(profiles), random.nextSeed()))
                    : Optional.empty();
        }
    }

    /// @param profiles the callers
    /// @param testCases upper bound of their number
    void run(TestMongo mongo, List<CallerProfile> profiles, long seed, Duration time, long testCases, int workers)
            throws Exception {
        var core = "core: {plugins-directory: %s}"
                .formatted(plugins.map(folder -> "'" + folder + "'").orElse("null"));
        try (var left = GatewayInstance.start(mongo, "", plugins.isPresent() ? lost : Set.of(), core);
                var right = GatewayInstance.start(mongo, "", lost, core)) {
            var generator = new TestCases(seed, profiles, time, testCases);
            var threads = new ArrayList<Thread>();
            var failures = new ArrayList<Throwable>();
            for (int i = 0; i < workers; i++) {
                int number = i;
                var thread = Thread.ofPlatform().unstarted(() -> work(number, left, right, generator));
                thread.setUncaughtExceptionHandler((_, e) -> {
                    synchronized (failures) {
                        failures.add(e);
                    }
                });
                thread.start();
                threads.add(thread);
            }
            for (var thread : threads) {
                while (!thread.join(PROGRESS)) {
                    System.out.println("noninterference: " + this);
                }
            }
            if (!failures.isEmpty()) {
                throw new IllegalStateException("a worker failed", failures.getFirst());
            }
        }
    }

    private void work(int number, GatewayInstance left, GatewayInstance right, TestCases testCases) {
        try (var worker = new FuzzWorker(number, left, right, this::isNew, maxTrials, statusCounts)) {
            for (var next = testCases.next(); next.isPresent() && found().size() < maxKinds; next = testCases.next()) {
                long before = worker.sent();
                play(worker, next.get()).ifPresent(this::add);
                requests.addAndGet(worker.sent() - before);
            }
        }
    }

    private Optional<Counterexample> play(FuzzWorker worker, TestCases.TestCase testCase) {
        var profile = testCase.profile();
        if (!profile.readsAccounts()) {
            return worker.testCase(profile, testCase.seed());
        }
        var lock = profile.changesAccounts() ? accounts.writeLock() : accounts.readLock();
        lock.lock();
        try {
            return worker.testCase(profile, testCase.seed());
        } finally {
            lock.unlock();
        }
    }

    /// Whether at most one with this signature has been shrunk.
    private synchronized boolean isNew(Counterexample difference) {
        return looked.merge(difference.signature(), 1, Integer::sum) <= 2;
    }

    private synchronized void add(Counterexample difference) {
        if (found.putIfAbsent(difference.kind(), difference) == null) {
            report(found.size() - 1, difference);
        }
    }

    private static void report(int number, Counterexample difference) {
        var folder = System.getProperty("fuzz.report");
        if (folder != null) {
            try {
                Files.createDirectories(Path.of(folder));
                Files.writeString(Path.of(folder, "counterexample-" + number + ".txt"), difference.toString());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    synchronized List<Counterexample> found() {
        return List.copyOf(found.values());
    }

    StatusCounts statusCounts() {
        return statusCounts;
    }

    long requests() {
        return requests.get();
    }

    @Override
    public String toString() {
        return "%,d requests to each instance, %.0f per second, %d kinds of counterexamples"
                .formatted(requests(), requests() / ((System.nanoTime() - started) / 1e9), found().size());
    }
}
