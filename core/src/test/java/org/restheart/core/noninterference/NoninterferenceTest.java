package org.restheart.core.noninterference;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.core.plugins.PluginFolder;
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

    /// Keys of permissions that plugins replace.
    private static final Set<String> BY_PLUGINS = Set.of("readFilter", "projectResponse");

    /// Share of requests that are carried out.
    private static final double FLOOR = 0.15;

    private static final Duration TIME = Duration.ofSeconds(Long.getLong("fuzz.seconds", 60));
    private static final Duration TIME_LIMIT = Duration.ofMinutes(30); // of a build, on a busy machine

    @TempDir
    Path directory;

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
            var methods = run.statusCounts().carriedOutByMethod();
            assertThat(methods).containsKeys("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE");
            assertThat(methods.values()).allSatisfy(share -> assertThat(share).isGreaterThan(FLOOR));
        }
    }

    /// Requests that are refused show nothing.
    private static void assertMuchWasCarriedOut(StatusCounts counts) {
        System.out.println(
                "noninterference: carried out " + counts.carriedOutByProfile() + counts.carriedOutByMethod());
        assertThat(counts.carriedOutByProfile().keySet()).containsAll(CallerProfile.compared());
        assertThat(counts.carriedOutByProfile().values())
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
        var run = new FuzzRun(1, 0, Set.of(lost), Optional.empty());
        run.run(mongo, List.of(profile), SEED, TIME_LIMIT, 40, 2);
        assertThat(run.found()).isNotEmpty();
    }

    /// Filters and projections of permissions are those of a plugin here; another changes requests and documents.
    @Test
    void what_plugins_hide_makes_no_difference_when_others_change_requests_and_documents(TestMongo mongo)
            throws Exception {
        var plugins = new PluginFolder(directory.resolve("plugins"));
        plugins.plugin("tightens", """
            static Verdict of(String rows, String... hidden) {
                var verdict = Verdict.rows(BsonDocument.parse(rows));
                return hidden.length == 0 ? verdict : verdict.hiding(hidden);
            }
            public void install(Installation to) {
                var verdicts = new HashMap<String, Verdict>();
                %s
                to.operations(Selector.data(), (request, target) -> verdicts.getOrDefault(
                        request.caller().account().map(account -> account.name()).orElse("anybody"), Verdict.allow()));
            }
            """.formatted(CallerProfile.compared().stream()
                .filter(profile -> profile != CallerProfile.USERS)
                .map(profile -> "verdicts.put(\"%s\", of(\"%s\"%s));"
                        .formatted(
                                profile.user(),
                                profile.sees().toJson().replace("\"", "\\\""),
                                profile.hides().stream()
                                        .map(name -> ", \"" + name + "\"")
                                        .collect(Collectors.joining())))
                .collect(Collectors.joining("\n"))));
        changing(plugins);
        var run = new FuzzRun(60, FuzzWorker.MAX_TRIALS, BY_PLUGINS, Optional.of(plugins.path()));
        run.run(mongo, profiles(), SEED, TIME_LIMIT, TEST_CASES / 2, 8);
        System.out.println("noninterference: " + run);
        assertThat(run.found()).isEmpty();
        assertMuchWasCarriedOut(run.statusCounts());
    }

    /// Were the plugin that tightens to do nothing, the test above would find it.
    @Test
    void what_no_plugin_hides_is_found(TestMongo mongo) throws Exception {
        var plugins = new PluginFolder(directory.resolve("plugins"));
        changing(plugins);
        var run = new FuzzRun(1, 0, BY_PLUGINS, Optional.of(plugins.path()));
        run.run(mongo, List.of(CallerProfile.READS), SEED, TIME_LIMIT, 40, 2);
        assertThat(run.found()).isNotEmpty();
    }

    private static void changing(PluginFolder plugins) {
        plugins.plugin("changes", """
            public void install(Installation to) {
                to.requests(Selector.data().methods(Method.GET).when(request -> request.query().raw().isEmpty()),
                        (request, next) -> next.handle(request.with(Query.of(Map.of("sort", "{\\"v\\": 1}")))));
                to.documents(Selector.data(), (document, request) -> document.append("seen", new BsonString("" + document)));
            }
            """);
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
