package org.restheart.core.noninterference;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.restheart.testkit.TestMongo;

/// Several workers at once, until a time is over. Keeps one difference of each kind.
final class Hunt {
    private static final int MAX_KINDS = 60;

    private final Map<String, Difference> found = new LinkedHashMap<>();
    private final Map<String, Integer> looked = new HashMap<>();
    private final Tally tally = new Tally();
    private final AtomicLong requests = new AtomicLong();

    /// @param profiles who asks
    void run(TestMongo mongo, List<Profile> profiles, long seed, Duration time, int workers) throws Exception {
        long end = System.nanoTime() + time.toNanos();
        try (var left = World.start(mongo);
                var right = World.start(mongo)) {
            var threads = new ArrayList<Thread>();
            var failures = new ArrayList<Throwable>();
            var dice = new Dice(seed);
            for (int i = 0; i < workers; i++) {
                int number = i;
                long own = dice.seed();
                var thread = Thread.ofPlatform().unstarted(() -> work(number, own, left, right, profiles, end));
                thread.setUncaughtExceptionHandler((_, e) -> {
                    synchronized (failures) {
                        failures.add(e);
                    }
                });
                thread.start();
                threads.add(thread);
            }
            for (var thread : threads) {
                thread.join();
            }
            if (!failures.isEmpty()) {
                throw new IllegalStateException("a worker failed", failures.getFirst());
            }
        }
    }

    private void work(int number, long seed, World left, World right, List<Profile> profiles, long end) {
        var dice = new Dice(seed);
        var own = profiles.stream()
                .filter(profile -> number == 0 || !profile.readsAccounts())
                .toList();
        try (var worker = new Worker(number, left, right, this::isNew, tally)) {
            while (!own.isEmpty() && System.nanoTime() < end && found().size() < MAX_KINDS) {
                long before = worker.sent();
                worker.episode(dice.of(own), dice.seed()).ifPresent(this::add);
                requests.addAndGet(worker.sent() - before);
            }
        }
    }

    /// Whether fewer than two like this have been looked at.
    private synchronized boolean isNew(Difference difference) {
        return looked.merge(difference.likeness(), 1, Integer::sum) <= 2;
    }

    private synchronized void add(Difference difference) {
        found.putIfAbsent(difference.kind(), difference);
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
}
