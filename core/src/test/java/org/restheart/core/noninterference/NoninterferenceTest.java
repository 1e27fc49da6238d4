package org.restheart.core.noninterference;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// What a caller may not see makes no difference to him, and what he may not change stays as it is.
///
/// In every build, the same episodes; with a seed of one's own, as many as there is time for.
///
/// System properties: `fuzz.seconds`, `fuzz.seed`, `fuzz.workers`, `fuzz.profiles` (names with commas), `fuzz.episode`
/// (one of those that a difference prints), `fuzz.report` (a folder for differences), `fuzz.tally` (`true` prints how
/// often each kind of request had which status).
@WithMongo
class NoninterferenceTest {
    private static final long SEED = 20261122;
    private static final int EPISODES = 300;

    @Test
    void what_is_hidden_makes_no_difference(TestMongo mongo) throws Exception {
        var episode = System.getProperty("fuzz.episode");
        if (episode != null) {
            again(mongo, episode);
            return;
        }
        var seed = Long.getLong("fuzz.seed");
        var hunt = new Hunt();
        System.out.println("noninterference: -Dfuzz.seed=" + (seed == null ? SEED : seed));
        hunt.run(
                mongo,
                profiles(),
                seed == null ? SEED : seed,
                Duration.ofSeconds(Long.getLong("fuzz.seconds", 60)),
                seed == null ? EPISODES : Long.MAX_VALUE,
                Integer.getInteger("fuzz.workers", 8));
        System.out.println("noninterference: " + hunt);
        if (Boolean.getBoolean("fuzz.tally")) {
            System.out.println(hunt.tally());
        }
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

    private static List<Profile> profiles() {
        var names = System.getProperty("fuzz.profiles", "");
        return names.isEmpty()
                ? Profile.ofTwoWorlds()
                : Arrays.stream(names.split(",")).map(Profile::valueOf).toList();
    }
}
