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
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.restheart.testkit.TestMongo;

/// Several workers at once, until a time is over or the episodes are. Keeps one difference of each kind.
final class Hunt {
    private static final int MAX_KINDS = 60;
    private static final Duration PROGRESS = Duration.ofMinutes(2);

    private final Map<String, Difference> found = new LinkedHashMap<>();
    private final Map<String, Integer> looked = new HashMap<>();
    private final Tally tally = new Tally();
    private final AtomicLong requests = new AtomicLong();
    private final long started = System.nanoTime();

    /// There is one collection of accounts: who changes it is alone with it.
    private final ReadWriteLock accounts = new ReentrantReadWriteLock();

    /// What is played, one after the other: the same for the same seed, whoever plays it.
    private static final class Episodes {
        private final Dice dice;
        private final List<Profile> profiles;
        private final long end;
        private long left;

        Episodes(long seed, List<Profile> profiles, Duration time, long number) {
            dice = new Dice(seed);
            this.profiles = profiles;
            end = System.nanoTime() + time.toNanos();
            left = number;
        }

        record Episode(Profile profile, long seed) {}

        synchronized Optional<Episode> next() {
            return left-- > 0 && System.nanoTime() < end
                    ? Optional.of(new Episode(dice.of(profiles), dice.seed()))
                    : Optional.empty();
        }
    }

    /// @param profiles who asks
    /// @param episodes how many at most
    void run(TestMongo mongo, List<Profile> profiles, long seed, Duration time, long episodes, int workers)
            throws Exception {
        try (var left = World.start(mongo);
                var right = World.start(mongo)) {
            var source = new Episodes(seed, profiles, time, episodes);
            var threads = new ArrayList<Thread>();
            var failures = new ArrayList<Throwable>();
            for (int i = 0; i < workers; i++) {
                int number = i;
                var thread = Thread.ofPlatform().unstarted(() -> work(number, left, right, source));
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

    private void work(int number, World left, World right, Episodes episodes) {
        try (var worker = new Worker(number, left, right, this::isNew, tally)) {
            for (var next = episodes.next(); next.isPresent() && found().size() < MAX_KINDS; next = episodes.next()) {
                long before = worker.sent();
                play(worker, next.get()).ifPresent(this::add);
                requests.addAndGet(worker.sent() - before);
            }
        }
    }

    private Optional<Difference> play(Worker worker, Episodes.Episode episode) {
        var profile = episode.profile();
        if (!profile.readsAccounts()) {
            return worker.episode(profile, episode.seed());
        }
        var lock = profile.changesAccounts() ? accounts.writeLock() : accounts.readLock();
        lock.lock();
        try {
            return worker.episode(profile, episode.seed());
        } finally {
            lock.unlock();
        }
    }

    /// Whether fewer than two like this have been looked at.
    private synchronized boolean isNew(Difference difference) {
        return looked.merge(difference.likeness(), 1, Integer::sum) <= 2;
    }

    private synchronized void add(Difference difference) {
        if (found.putIfAbsent(difference.kind(), difference) == null) {
            report(found.size() - 1, difference);
        }
    }

    private static void report(int number, Difference difference) {
        var folder = System.getProperty("fuzz.report");
        if (folder != null) {
            try {
                Files.createDirectories(Path.of(folder));
                Files.writeString(Path.of(folder, "difference-" + number + ".txt"), difference.toString());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    synchronized List<Difference> found() {
        return List.copyOf(found.values());
    }

    Tally tally() {
        return tally;
    }

    long requests() {
        return requests.get();
    }

    @Override
    public String toString() {
        return "%,d requests to each world, %.0f per second, %d kinds of differences"
                .formatted(requests(), requests() / ((System.nanoTime() - started) / 1e9), found().size());
    }
}
