package org.restheart.core.noninterference;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Callers who ask at the same time, of a gateway that shares questions and remembers answers, are answered as if each
/// had
/// asked alone, of one that does neither.
///
/// System properties: `fuzz.seconds`, `fuzz.seed`.
@WithMongo
class TogetherEqualsAloneTest {
    private static final String NOTHING_SHARED = """
            , coalescing: {inserts: false, updates: false, reads: false, queries: false}, get-collection-cache-enabled: false, \
            cursor-pool: {mode: NONE}""";
    private static final int CALLERS = 16;
    private static final int DOCUMENTS = 40;
    private static final int ROUNDS = 12;

    private final Map<String, String> differences = new LinkedHashMap<>();
    private long requests;

    @Test
    void together_equals_alone(TestMongo mongo) {
        long seed = Long.getLong("fuzz.seed", 20261122);
        System.out.println("together equals alone: -Dfuzz.seed=" + seed);
        long started = System.nanoTime();
        long end =
                started + Duration.ofSeconds(Long.getLong("fuzz.seconds", 20)).toNanos();
        try (var together = World.start(mongo);
                var alone = World.start(mongo, NOTHING_SHARED)) {
            var crowd = IntStream.range(0, CALLERS)
                    .mapToObj(_ -> new Lane(together))
                    .toList();
            var one = IntStream.range(0, CALLERS).mapToObj(_ -> new Lane(alone)).toList();
            var dice = new Dice(seed);
            together.create("alike0");
            alone.create("alike0");
            while (System.nanoTime() < end) {
                var documents = documents(dice);
                for (var world : List.of(together, alone)) {
                    world.put("alike0", documents);
                }
                announce(crowd.getFirst());
                announce(one.getFirst());
                for (int i = 0; i < ROUNDS; i++) {
                    round(dice, crowd, one);
                }
            }
            crowd.forEach(Lane::close);
            one.forEach(Lane::close);
        }
        System.out.printf(
                "together equals alone: %,d requests to each gateway, %.0f per second, %d differences%n",
                requests, requests / ((System.nanoTime() - started) / 1e9), differences.size());
        assertThat(differences).isEmpty();
    }

    private static List<BsonDocument> documents(Dice dice) {
        var values = new Values(dice);
        var documents = new ArrayList<BsonDocument>();
        for (int i = 0; i < DOCUMENTS; i++) {
            var id = i < 4 ? "m" + i : "d" + i;
            var document = new BsonDocument("_id", new BsonString(id))
                    .append(
                            "org",
                            BsonDocument.parse("{o: " + dice.of(World.ORGANISATIONS) + "}")
                                    .get("o"));
            for (var field : Values.FIELDS) {
                if (!field.equals("loc") && dice.percent(60)) {
                    document.put(field, values.value());
                }
            }
            document.put("v", new BsonInt32(dice.below(3)));
            document.put("_etag", new BsonObjectId(new ObjectId(Scene.tag(1 + i))));
            documents.add(document);
        }
        return documents;
    }

    private static void announce(Lane lane) {
        for (var request :
                List.of(FuzzRequest.of("POST", "/ic?db=$DB"), FuzzRequest.of("DELETE", "/alike0/" + Scene.TOUCH))) {
            lane.send(request, "admin");
            assertThat(lane.receive().status()).isBetween(200, 299);
        }
    }

    /// Everybody asks nearly the same, or changes documents of his own.
    private void round(Dice dice, List<Lane> crowd, List<Lane> one) {
        var source = new Requests(dice, Profile.ALIKE, 0, false);
        var template = source.next();
        while (template.target().contains("sort=%7B%7D")) { // the natural order of concurrent inserts is anybody's
            template = source.next();
        }
        var variation = new Variation(dice);
        var asked = new ArrayList<FuzzRequest>();
        var users = new ArrayList<String>();
        boolean writes = dice.percent(25);
        for (int i = 0; i < CALLERS; i++) {
            asked.add(writes ? write(dice, i) : dice.percent(40) ? template : variation.of(template));
            users.add("alike" + dice.below(World.ORGANISATIONS.size()));
            crowd.get(i).send(asked.get(i), users.get(i));
        }
        var answers = crowd.stream().map(Lane::receive).toList();
        for (int i = 0; i < CALLERS; i++) {
            one.get(i).send(asked.get(i), users.get(i));
            var expected = one.get(i).receive();
            requests++;
            if (!expected.text().equals(answers.get(i).text())) {
                differences.putIfAbsent(
                        asked.get(i).method() + asked.get(i).path(),
                        asked.get(i).toCurl(users.get(i)) + "\n--- together\n"
                                + answers.get(i).text() + "\n--- alone\n" + expected.text());
            }
        }
    }

    private static FuzzRequest write(Dice dice, int caller) {
        var values = new Values(dice);
        var expressions = new Expressions(dice, values);
        var updates = new Updates(dice, values, new Filters(dice, values, expressions), expressions);
        var id = "w" + caller + "-" + dice.below(2);
        var content = updates.content();
        content.remove("loc");
        content.put(
                "org",
                BsonDocument.parse("{o: " + dice.of(World.ORGANISATIONS) + "}").get("o"));
        return switch (dice.below(6)) {
            case 0, 1 -> FuzzRequest.of("POST", "/alike0").withBody(content.append("_id", new BsonString(id)));
            case 2 ->
                FuzzRequest.of("PUT", "/alike0/" + id).with("wm", "upsert").withBody(content);
            case 3 -> FuzzRequest.of("PATCH", "/alike0/" + id).withBody(updates.update());
            case 4 -> FuzzRequest.of("DELETE", "/alike0/" + id);
            default -> FuzzRequest.of("GET", "/alike0/" + id);
        };
    }
}
