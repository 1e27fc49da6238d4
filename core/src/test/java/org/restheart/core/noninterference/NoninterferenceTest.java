package org.restheart.core.noninterference;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
    private static final int TEST_CASES = 120;

    /// Share of requests that are carried out.
    private static final double FLOOR = 0.15;

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
        assertThat(run.found()).isEmpty();
        if (seed == null) {
            assertMuchWasCarriedOut(run.statusCounts());
        }
    }

    /// Requests that are refused show nothing.
    private static void assertMuchWasCarriedOut(StatusCounts counts) {
        System.out.println(
                "noninterference: carried out " + counts.carriedOutByProfile() + counts.carriedOutByMethod());
        assertThat(counts.carriedOutByProfile().keySet()).containsAll(CallerProfile.compared());
        assertThat(counts.carriedOutByProfile().values())
                .allSatisfy(share -> assertThat(share).isGreaterThan(FLOOR));
        assertThat(counts.carriedOutByMethod().keySet()).contains("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE");
        assertThat(counts.carriedOutByMethod().values())
                .allSatisfy(share -> assertThat(share).isGreaterThan(FLOOR));
    }

    /// Were a gateway to lose a part of a permission, this test would find it.
    @ParameterizedTest
    @CsvSource({
        "READS, readFilter",
        "OWNS, writeFilter",
        "WRITES, writeFilter",
        "EXCLUDES, projectResponse",
        "MERGED, checkWritten",
        "MERGED, mergeRequest"
    })
    void what_a_gateway_does_not_protect_is_found(CallerProfile profile, String lost, TestMongo mongo)
            throws Exception {
        var run = new FuzzRun(1, 0, Set.of(lost));
        run.run(mongo, List.of(profile), SEED, TIME_LIMIT, 40, 2);
        assertThat(run.found()).isNotEmpty();
    }

    private static void again(TestMongo mongo, String testCase) {
        var parts = testCase.split(":");
        try (var left = GatewayInstance.start(mongo);
                var right = GatewayInstance.start(mongo);
                var worker = new FuzzWorker(0, left, right, _ -> true, FuzzWorker.MAX_TRIALS, new StatusCounts())) {
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
