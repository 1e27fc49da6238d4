package org.restheart.core.noninterference;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Concurrent requests to a gateway that coalesces and caches get the same responses as sequential requests to one that
/// does neither.
///
/// A build runs a fixed sequence of requests. With `fuzz.seed`, as many run as there is time for.
///
/// System properties: `fuzz.seconds`, `fuzz.seed`.
@WithMongo
class TogetherEqualsAloneTest {
    private static final String NOTHING_SHARED = """
        , coalescing: {inserts: false, updates: false, reads: false, queries: false}, \
        cursor-pool: {mode: NONE}\
        """;
    private static final int CALLERS = 16;
    private static final int DOCUMENTS = 40;
    private static final int ROUNDS = 12;
    private static final long SEED = 20261122;
    private static final int STATES = 12;

    private final Map<String, String> differences = new LinkedHashMap<>();
    private long requests;

    @Test
    void together_equals_alone(TestMongo mongo) {
        var chosen = Long.getLong("fuzz.seed");
        long seed = chosen == null ? SEED : chosen;
        System.out.println("together equals alone: -Dfuzz.seed=" + seed);
        long started = System.nanoTime();
        long end =
                started + Duration.ofSeconds(Long.getLong("fuzz.seconds", 20)).toNanos();
        try (var together = GatewayInstance.start(mongo);
                var alone = GatewayInstance.start(mongo, NOTHING_SHARED)) {
            var concurrent = IntStream.range(0, CALLERS)
                    .mapToObj(_ -> new FuzzClient(together))
                    .toList();
            var one = IntStream.range(0, CALLERS)
                    .mapToObj(_ -> new FuzzClient(alone))
                    .toList();
            var random = new RandomSource(seed);
            together.create("alike0");
            alone.create("alike0");
            for (int states = 0; chosen == null ? states < STATES : System.nanoTime() < end; states++) {
                var documents = documents(random);
                for (var instance : List.of(together, alone)) {
                    instance.put("alike0", documents);
                }
                announce(concurrent.getFirst());
                announce(one.getFirst());
                for (int i = 0; i < ROUNDS; i++) {
                    round(random, concurrent, one);
                }
            }
            concurrent.forEach(FuzzClient::close);
            one.forEach(FuzzClient::close);
        }
        System.out.printf(
                "together equals alone: %,d requests to each gateway, %.0f per second, %d differences%n",
                requests, requests / ((System.nanoTime() - started) / 1e9), differences.size());
        assertThat(differences).isEmpty();
    }

    private static List<BsonDocument> documents(RandomSource random) {
        var values = new ValueGenerator(random);
        var documents = new ArrayList<BsonDocument>();
        for (int i = 0; i < DOCUMENTS; i++) {
            var id = i < 4 ? "m" + i : "d" + i;
            var document = new BsonDocument("_id", new BsonString(id))
                    .append(
                            "org",
                            BsonDocument.parse("{o: " + random.pick(GatewayInstance.ORGANISATIONS) + "}")
                                    .get("o"));
            for (var field : ValueGenerator.FIELDS) {
                if (!field.equals("loc") && random.percent(60)) {
                    document.put(field, values.value());
                }
            }
            document.put("v", new BsonInt32(random.nextInt(3)));
            document.put("r", reference(random));
            document.put("rs", new BsonArray(List.of(reference(random), reference(random))));
            document.put("_etag", new BsonObjectId(new ObjectId(InitialState.tag(1 + i))));
            documents.add(document);
        }
        return documents;
    }

    private static BsonString reference(RandomSource random) {
        return new BsonString(random.pick("m0", "m1", "m2", "m3", "d7", "d9", "none"));
    }

    private static void announce(FuzzClient client) {
        for (var request : List.of(
                FuzzRequest.of("POST", "/ic?db=$DB"), FuzzRequest.of("DELETE", "/alike0/" + InitialState.TOUCH))) {
            client.send(request, "admin");
            assertThat(client.receive().status()).isBetween(200, 299);
        }
    }

    /// All callers send similar reads, or each writes its own documents.
    private void round(RandomSource random, List<FuzzClient> concurrent, List<FuzzClient> one) {
        var generator = new RequestGenerator(random, CallerProfile.ALIKE, 0, false);
        var template = generator.next();
        while (hasUndefinedOrder(template)) {
            template = generator.next();
        }
        var variation = new RequestMutator(random);
        var sent = new ArrayList<FuzzRequest>();
        var users = new ArrayList<String>();
        boolean writes = random.percent(25);
        for (int i = 0; i < CALLERS; i++) {
            sent.add(writes ? write(random, i) : random.percent(40) ? template : variation.of(template));
            users.add("alike" + random.nextInt(GatewayInstance.ORGANISATIONS.size()));
            concurrent.get(i).send(sent.get(i), users.get(i));
        }
        var answers = concurrent.stream().map(FuzzClient::receive).toList();
        for (int i = 0; i < CALLERS; i++) {
            one.get(i).send(sent.get(i), users.get(i));
            var expected = one.get(i).receive();
            requests++;
            if (!expected.text().equals(answers.get(i).text())) {
                differences.putIfAbsent(
                        sent.get(i).method() + sent.get(i).path(),
                        sent.get(i).toCurl(users.get(i)) + "\n--- together\n"
                                + answers.get(i).text() + "\n--- alone\n" + expected.text());
            }
        }
    }

    /// The natural order of concurrent inserts is undefined, and so is that of documents with equal sort keys.
    private static boolean hasUndefinedOrder(FuzzRequest request) {
        return request.target().contains("sort=%7B%7D") || request.target().contains("sort=x");
    }

    private static FuzzRequest write(RandomSource random, int caller) {
        var values = new ValueGenerator(random);
        var expressions = new ExpressionGenerator(random, values);
        var updates =
                new UpdateGenerator(random, values, new FilterGenerator(random, values, expressions), expressions);
        var id = "w" + caller + "-" + random.nextInt(2);
        var content = updates.content();
        content.remove("loc");
        content.put(
                "org",
                BsonDocument.parse("{o: " + random.pick(GatewayInstance.ORGANISATIONS) + "}")
                        .get("o"));
        return switch (random.nextInt(6)) {
            case 0, 1 -> FuzzRequest.of("POST", "/alike0").withBody(content.append("_id", new BsonString(id)));
            case 2 ->
                FuzzRequest.of("PUT", "/alike0/" + id).with("wm", "upsert").withBody(content);
            case 3 -> FuzzRequest.of("PATCH", "/alike0/" + id).withBody(updates.update());
            case 4 -> FuzzRequest.of("DELETE", "/alike0/" + id);
            default -> FuzzRequest.of("GET", "/alike0/" + id);
        };
    }
}
