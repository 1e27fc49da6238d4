package org.restheart.rest.document;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.bson.Document;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.rest.DataApi;
import org.restheart.rest.DataApi.Answer;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Outcomes of concurrent writes.
@WithMongo
class ConcurrentWritesTest {
    private static final int WRITERS = 16;
    private static final int ROUNDS = 15;

    private final boolean isSince7;
    private final DataApi api;
    private final String db;
    private final String coll;

    ConcurrentWritesTest(TestMongo mongo) {
        var build = mongo.client().getDatabase("admin").runCommand(new Document("buildInfo", 1));
        isSince7 = Integer.parseInt(build.getString("version").replaceFirst("\\..*", "")) >= 7;
        api = DataApi.over(mongo.client());
        db = "/" + mongo.newDatabaseName();
        coll = db + "/c";
    }

    @BeforeEach
    void a_collection() {
        api.send("PUT " + db);
        api.send("PUT " + coll);
    }

    private static <T> List<T> race(List<Callable<T>> racers) throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var results = new ArrayList<T>();
            for (var future : threads.invokeAll(racers)) {
                results.add(future.get());
            }
            return results;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"PUT", "PATCH"})
    void one_write_per_tag_wins_and_the_others_are_never_visible(String method) throws Exception {
        var document = coll + "/a";
        var etag = api.send("PUT " + document + "?wm=upsert", "{by: 'first'}").etag();
        var seen = ConcurrentHashMap.<String>newKeySet();
        var won = new HashSet<>(Set.of("first"));
        var writing = new AtomicBoolean(true);
        try (var readers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int r = 0; r < 4; r++) {
                readers.execute(() -> {
                    while (writing.get()) {
                        seen.add(api.send("GET " + document)
                                .document()
                                .getString("by")
                                .getValue());
                    }
                });
            }
            try {
                for (int round = 0; round < ROUNDS; round++) {
                    etag = oneRound(method, document, etag, round, won);
                }
            } finally {
                writing.set(false);
            }
        }
        assertThat(won).hasSize(ROUNDS + 1);
        assertThat(won).containsAll(seen);
        assertThat(seen).hasSizeGreaterThan(1);
    }

    /// The tag after the one write that won.
    private String oneRound(String method, String document, String etag, int round, Set<String> won) throws Exception {
        var conditional = api.with("If-Match", etag);
        var answers = race(IntStream.range(0, WRITERS)
                .<Callable<Answer>>mapToObj(
                        w -> () -> conditional.send(method + " " + document, "{by: '" + round + "/" + w + "'}"))
                .toList());
        var winners = IntStream.range(0, WRITERS)
                .filter(w -> answers.get(w).status() == 200)
                .toArray();
        assertThat(winners).hasSize(1);
        assertThat(answers.stream().filter(a -> a.status() == 412)).hasSize(WRITERS - 1);
        won.add(round + "/" + winners[0]);
        return answers.get(winners[0]).etag();
    }

    @Test
    void one_removal_per_tag_wins_against_writes() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            var document = coll + "/d" + round;
            var conditional = api.with(
                    "If-Match", api.send("PUT " + document + "?wm=upsert", "{}").etag());
            var answers = race(IntStream.range(0, WRITERS)
                    .<Callable<Answer>>mapToObj(w ->
                            () -> conditional.send((w % 2 == 0 ? "DELETE " : "PUT ") + document, "{w: " + w + "}"))
                    .toList());
            assertThat(answers.stream().filter(a -> a.status() < 300)).hasSize(1);
            assertThat(answers).allMatch(a -> Set.of(200, 204, 404, 412).contains(a.status()));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&filter={_id:{$exists:true}}"})
    void racing_upserts_of_one_id_create_it_once_and_then_replace_it(String filter) throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            var document = coll + "/u" + round;
            var answers = race(IntStream.range(0, WRITERS)
                    .<Callable<Answer>>mapToObj(w -> () -> api.send(
                            (w % 2 == 0 ? "PUT " : "PATCH ") + document + "?wm=upsert" + filter, "{w: " + w + "}"))
                    .toList());
            assertThat(answers.stream().filter(a -> a.status() == 201)).hasSize(1);
            assertThat(answers.stream().filter(a -> a.status() == 200)).hasSize(WRITERS - 1);
        }
    }

    @Test
    void racing_inserts_of_one_id_store_it_once() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            var id = "i" + round;
            var answers = race(IntStream.range(0, WRITERS)
                    .<Callable<Answer>>mapToObj(w -> () -> switch (w % 3) {
                        case 0 -> api.send("POST " + coll, "{_id: '" + id + "', w: " + w + "}");
                        case 1 -> api.send("PUT " + coll + "/" + id + "?wm=insert", "{w: " + w + "}");
                        default -> api.send("PATCH " + coll + "/" + id + "?wm=insert", "{w: " + w + "}");
                    })
                    .toList());
            assertThat(answers.stream().filter(a -> a.status() == 201)).hasSize(1);
            assertThat(answers.stream().filter(a -> a.status() == 409)).hasSize(WRITERS - 1);
        }
    }

    @RepeatedTest(3)
    void racing_makers_of_a_collection_make_it_once() throws Exception {
        var name = db + "/made" + System.nanoTime();
        var answers = race(IntStream.range(0, WRITERS)
                .<Callable<Answer>>mapToObj(w -> () -> api.send("PUT " + name, "{w: " + w + "}"))
                .toList());
        // since MongoDB 7, the command to create a collection succeeds for each of them
        var created = answers.stream().filter(a -> a.status() == 201).count();
        assertThat(created).isBetween(1L, isSince7 ? WRITERS : 1L);
        assertThat(answers.stream().filter(a -> a.status() == 200)).hasSize((int) (WRITERS - created));
    }

    @Test
    void one_change_of_a_collections_properties_per_tag_wins() throws Exception {
        var etag = api.send("PUT " + coll, "{by: 'first'}").etag();
        for (int round = 0; round < ROUNDS; round++) {
            etag = oneRound(round % 2 == 0 ? "PUT" : "PATCH", coll, etag, round, new HashSet<>());
        }
    }

    @Test
    void one_removal_of_a_collection_per_tag_wins() throws Exception {
        var name = db + "/dropped";
        var etag = api.send("PUT " + name).etag();
        var conditional = api.with("If-Match", etag);
        var answers = race(IntStream.range(0, WRITERS)
                .<Callable<Answer>>mapToObj(w -> () -> conditional.send("DELETE " + name))
                .toList());
        assertThat(answers.stream().filter(a -> a.status() == 204)).isNotEmpty();
        assertThat(answers).allMatch(a -> a.status() == 204 || a.status() == 404);
    }
}
