package org.restheart.core.noninterference;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// What a caller may not see makes no difference to him, and what he may not change stays as it is.
///
/// System properties: `fuzz.seconds`, `fuzz.seed`, `fuzz.workers`, `fuzz.profiles` (names with commas), `fuzz.episode`
/// (one of those that a difference prints), `fuzz.report` (a folder for differences), `fuzz.tally` (`true` prints how
/// often each kind of request had which status).
@WithMongo
class NoninterferenceTest {
    private static final long SEED = 20261122;

    @Test
    void what_is_hidden_makes_no_difference(TestMongo mongo) throws Exception {
        var seconds = Long.getLong("fuzz.seconds", 60);
        var seed = Long.getLong("fuzz.seed");
        var hunt = new Hunt();
        long started = System.nanoTime();
        var episode = System.getProperty("fuzz.episode");
        if (episode != null) {
            again(mongo, episode);
            return;
        }
        if (seed != null) {
            run(hunt, mongo, seed, seconds);
        } else {
            run(hunt, mongo, SEED, seconds / 2);
            run(hunt, mongo, ThreadLocalRandom.current().nextLong() >>> 1, seconds - seconds / 2);
        }
        double took = (System.nanoTime() - started) / 1e9;
        System.out.printf(
                "noninterference: %,d requests to each world, %.0f per second, %d kinds of differences%n",
                hunt.requests(), hunt.requests() / took, hunt.found().size());
        if (Boolean.getBoolean("fuzz.tally")) {
            System.out.println(hunt.tally());
        }
        report(hunt.found());
        assertThat(hunt.requests()).isGreaterThan(0);
        assertThat(hunt.found()).isEmpty();
    }

    private static void again(TestMongo mongo, String episode) {
        var parts = episode.split(":");
        try (var left = World.start(mongo);
                var right = World.start(mongo);
                var worker = new Worker(0, left, right, _ -> true, new Tally())) {
            assertThat(worker.episode(Profile.valueOf(parts[0]), Long.parseLong(parts[1])))
                    .isEmpty();
        }
    }

    private static void run(Hunt hunt, TestMongo mongo, long seed, long seconds) throws Exception {
        System.out.println("noninterference: -Dfuzz.seed=" + seed);
        hunt.run(mongo, profiles(), seed, Duration.ofSeconds(seconds), Integer.getInteger("fuzz.workers", 4));
    }

    private static List<Profile> profiles() {
        var names = System.getProperty("fuzz.profiles", "");
        return names.isEmpty()
                ? Profile.ofTwoWorlds()
                : Arrays.stream(names.split(",")).map(Profile::valueOf).toList();
    }

    private static void report(List<Difference> found) throws Exception {
        var folder = System.getProperty("fuzz.report");
        if (folder != null) {
            Files.createDirectories(Path.of(folder));
            for (int i = 0; i < found.size(); i++) {
                Files.writeString(
                        Path.of(folder, "difference-" + i + ".txt"),
                        found.get(i).toString());
            }
        }
    }
}
