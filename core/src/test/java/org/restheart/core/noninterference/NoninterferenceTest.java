package org.restheart.core.noninterference;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Hidden data does not influence responses, and documents that a caller may not change are unchanged.
///
/// A build runs a fixed sequence of test cases, however long that takes. With `fuzz.seed`, as many run as there is time
/// for.
///
/// System properties: `fuzz.seconds`, `fuzz.seed`, `fuzz.workers`, `fuzz.profiles` (names with commas), `fuzz.case`
/// (as printed with a counterexample), `fuzz.report` (a folder for counterexamples), `fuzz.statuses` (`true` prints
/// the number of responses by kind of request and status).
@WithMongo
class NoninterferenceTest {
    private static final long SEED = 20261122;
    private static final int TEST_CASES = 300;
    private static final Duration TIME = Duration.ofSeconds(Long.getLong("fuzz.seconds", 60));
    private static final Duration TIME_LIMIT = Duration.ofMinutes(30); // of a build, on a busy machine

    @Test
    void what_is_hidden_makes_no_difference(TestMongo mongo) throws Exception {
        var testCase = System.getProperty("fuzz.case");
        if (testCase != null) {
            again(mongo, testCase);
            return;
        }
        var seed = Long.getLong("fuzz.seed");
        var run = new FuzzRun();
        System.out.println("noninterference: -Dfuzz.seed=" + (seed == null ? SEED : seed));
        run.run(
                mongo,
                profiles(),
                seed == null ? SEED : seed,
                seed == null ? TIME_LIMIT : TIME,
                seed == null ? TEST_CASES : Long.MAX_VALUE,
                Integer.getInteger("fuzz.workers", 8));
        System.out.println("noninterference: " + run);
        if (Boolean.getBoolean("fuzz.statuses")) {
            System.out.println(run.statusCounts());
        }
        assertThat(run.requests()).isGreaterThan(0);
        assertThat(run.found()).isEmpty();
    }

    private static void again(TestMongo mongo, String testCase) {
        var parts = testCase.split(":");
        try (var left = GatewayInstance.start(mongo);
                var right = GatewayInstance.start(mongo);
                var worker = new FuzzWorker(0, left, right, _ -> true, new StatusCounts())) {
            assertThat(worker.testCase(CallerProfile.valueOf(parts[0]), Long.parseLong(parts[1])))
                    .isEmpty();
        }
    }

    private static List<CallerProfile> profiles() {
        var names = System.getProperty("fuzz.profiles", "");
        return names.isEmpty()
                ? CallerProfile.compared()
                : Arrays.stream(names.split(",")).map(CallerProfile::valueOf).toList();
    }
}
