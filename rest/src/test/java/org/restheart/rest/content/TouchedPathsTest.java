package org.restheart.rest.content;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.ReplaceOptions;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.bson.fields.TouchedPaths;
import org.restheart.bson.fields.Update;
import org.restheart.bson.fields.Visibility;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The model of changes against MongoDB: whatever an update changes of a document, the model says it touches.
@WithMongo
class TouchedPathsTest {
    private static final long SEED = Long.getLong("touched.seed", 20_251_122L);
    private static final int ROUNDS = Integer.getInteger("touched.rounds", 1_500);
    private static final BsonDocument HIDDEN = BsonDocument.parse("{s: 0, 'b.s': 0, '1': 0}");
    private static final List<String> NAMES = List.of("a", "b", "s", "0", "1");
    private static final List<String> OPERATORS = List.of(
            "$set", "$unset", "$inc", "$mul", "$min", "$max", "$push", "$addToSet", "$pop", "$pull", "$rename", "$bit");

    private static MongoCollection<BsonDocument> collection;
    private static Random random;

    @BeforeAll
    static void start(TestMongo mongo) {
        collection = mongo.client().getDatabase(mongo.newDatabaseName()).getCollection("c", BsonDocument.class);
        random = new Random(SEED);
    }

    @AfterAll
    static void drop() {
        collection.drop();
    }

    private static <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    private static BsonValue scalar() {
        return switch (random.nextInt(4)) {
            case 0 -> new BsonString(any(List.of("x", "y", "$a")));
            case 1 -> BsonBoolean.valueOf(random.nextBoolean());
            default -> new BsonInt32(random.nextInt(4));
        };
    }

    private static BsonValue value(int depth) {
        return switch (depth <= 0 ? 5 : random.nextInt(6)) {
            case 0, 1 -> document(depth - 1);
            case 2, 3 -> {
                var array = new BsonArray();
                for (int i = random.nextInt(4); i > 0; i--) {
                    array.add(value(depth - 1));
                }
                yield array;
            }
            default -> scalar();
        };
    }

    private static BsonDocument document(int depth) {
        var document = new BsonDocument();
        for (int i = random.nextInt(4); i > 0; i--) {
            document.append(any(NAMES), value(depth));
        }
        return document;
    }

    private static String path(boolean positions) {
        var path = new StringBuilder(any(NAMES));
        for (int i = random.nextInt(3); i > 0; i--) {
            path.append('.').append(positions && random.nextInt(6) == 0 ? "$[]" : any(NAMES));
        }
        return path.toString();
    }

    private static BsonDocument operators() {
        var operators = new BsonDocument();
        for (int i = 1 + random.nextInt(2); i > 0; i--) {
            var operator = any(OPERATORS);
            var fields = new BsonDocument();
            for (int j = 1 + random.nextInt(2); j > 0; j--) {
                fields.append(path(!operator.equals("$rename")), operand(operator));
            }
            operators.append(operator, fields);
        }
        return operators;
    }

    private static BsonValue operand(String operator) {
        return switch (operator) {
            case "$set", "$addToSet" -> value(2);
            case "$push" ->
                random.nextBoolean()
                        ? value(2)
                        : new BsonDocument("$each", new BsonArray(List.of(scalar(), scalar())))
                                .append("$sort", new BsonInt32(-1))
                                .append("$slice", new BsonInt32(2));
            case "$pull" -> random.nextBoolean() ? scalar() : new BsonDocument("$gt", new BsonInt32(1));
            case "$rename" -> new BsonString(path(false));
            case "$pop" -> new BsonInt32(random.nextBoolean() ? 1 : -1);
            case "$bit" -> new BsonDocument("xor", new BsonInt32(5));
            case "$unset" -> new BsonString("");
            case "$min", "$max" -> scalar();
            default -> new BsonInt32(1 + random.nextInt(3));
        };
    }

    private static BsonArray pipeline() {
        var stages = new BsonArray();
        for (int i = 1 + random.nextInt(2); i > 0; i--) {
            stages.add(
                    switch (random.nextInt(5)) {
                        case 0 -> new BsonDocument("$unset", new BsonString(path(false)));
                        case 1 -> new BsonDocument("$project", new BsonDocument(path(false), new BsonInt32(0)));
                        case 2 -> BsonDocument.parse("{$replaceWith: {$mergeObjects: ['$$ROOT', {a: 1}]}}");
                        default ->
                            new BsonDocument(
                                    random.nextBoolean() ? "$set" : "$addFields",
                                    new BsonDocument(path(false), value(2)));
                    });
        }
        return stages;
    }

    /// What is not the same, as deep as both have it: by names alone, and with positions.
    private static void differences(BsonValue a, BsonValue b, String names, String places, Set<String> into) {
        if (a != null && b != null && a.isDocument() && b.isDocument()) {
            var keys = new LinkedHashSet<>(a.asDocument().keySet());
            keys.addAll(b.asDocument().keySet());
            keys.forEach(key -> differences(
                    a.asDocument().get(key), b.asDocument().get(key), join(names, key), join(places, key), into));
        } else if (a != null && b != null && a.isArray() && b.isArray()) {
            int size = Math.max(a.asArray().size(), b.asArray().size());
            for (int i = 0; i < size; i++) {
                differences(element(a, i), element(b, i), names, join(places, Integer.toString(i)), into);
            }
        } else if (a == null || !a.equals(b)) {
            into.add(names);
            into.add(places);
        }
    }

    private static BsonValue element(BsonValue array, int i) {
        return i < array.asArray().size() ? array.asArray().get(i) : null;
    }

    private static String join(String path, String step) {
        return path.isEmpty() ? step : path + "." + step;
    }

    private static void store(BsonDocument document) {
        collection.replaceOne(new BsonDocument("_id", new BsonInt32(1)), document, new ReplaceOptions().upsert(true));
    }

    /// The document as MongoDB changes it; null if it refuses.
    private static BsonDocument changed(BsonDocument before, BsonValue update) {
        store(before);
        try {
            if (update instanceof BsonArray stages) {
                var pipeline = new ArrayList<BsonDocument>();
                stages.forEach(stage -> pipeline.add(stage.asDocument()));
                collection.updateOne(new BsonDocument(), pipeline);
            } else {
                collection.updateOne(new BsonDocument(), update.asDocument());
            }
        } catch (MongoException _) {
            return null;
        }
        return collection.find().first();
    }

    @Test
    void what_changes_is_touched() {
        int compared = 0;
        for (int round = 0; round < ROUNDS; round++) {
            var before = new BsonDocument("_id", new BsonInt32(1));
            before.putAll(document(3));
            BsonValue update = random.nextInt(3) == 0 ? pipeline() : operators();
            var after = changed(before, update);
            if (after == null) {
                continue;
            }
            var changes = new TreeSet<String>();
            differences(before, after, "", "", changes);
            var touched = TouchedPaths.of(Update.of(update));
            for (var path : changes) {
                assertThat(touched.has(path))
                        .as("%s changed by %s: %s became %s (seed %d)", path, update, before, after, SEED)
                        .isTrue();
            }
            compared += changes.isEmpty() ? 0 : 1;
        }
        assertThat(compared).isGreaterThan(ROUNDS / 10);
    }

    /// Two documents that differ only in what is hidden: an update that the model lets through succeeds on both or on
    /// neither, and leaves what is shown the same.
    @Test
    void allowed_requests_reveal_nothing_hidden() {
        var visibility = Visibility.of(HIDDEN);
        int compared = 0;
        for (int round = 0; round < ROUNDS; round++) {
            BsonValue update = random.nextInt(3) == 0 ? pipeline() : operators();
            if (!visibility.allowsUpdate(Update.of(update), List.of())) {
                continue;
            }
            var one = new BsonDocument("_id", new BsonInt32(1));
            one.putAll(document(3));
            var other = otherWorld(one, "");
            assertThat(shown(other)).as("worlds").isEqualTo(shown(one));
            var oneAfter = changed(one, update);
            var otherAfter = changed(other, update);
            assertThat(otherAfter == null ? null : shown(otherAfter))
                    .as("%s on %s and %s (seed %d)", update, one, other, SEED)
                    .isEqualTo(oneAfter == null ? null : shown(oneAfter));
            compared++;
        }
        assertThat(compared).isGreaterThan(ROUNDS / 20);
    }

    private static BsonDocument otherWorld(BsonDocument document, String prefix) {
        var other = new BsonDocument();
        document.forEach((name, value) -> other.append(name, otherValue(value, join(prefix, name))));
        return other;
    }

    private static BsonValue otherValue(BsonValue value, String path) {
        if (HIDDEN.containsKey(path)) {
            return value(2);
        }
        return switch (value) {
            case BsonDocument document -> otherWorld(document, path);
            case BsonArray array ->
                new BsonArray(array.stream().map(each -> otherValue(each, path)).toList());
            default -> value;
        };
    }

    private static BsonDocument shown(BsonDocument document) {
        store(document);
        return collection.find().projection(HIDDEN).first();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{$set: {a: 2}} | a",
                "{$set: {'b.c': 2}} | b.c",
                "{$unset: {'b.c': 1}} | b.c",
                "{$inc: {a: 1}} | a",
                "{$rename: {a: 'z'}} | a z",
                "{$set: {'n.0.k': 2}} | n.k n.0.k",
                "{$set: {'n.$[].k': 2}} | n.k n.0.k",
                "{$set: {'2024.k': 2}} | 2024.k",
                "{$set: {b: {d: 2}}} | b.c b.d"
            })
    void simple_changes_touch_what_they_change_and_no_more(String update, String changes) {
        var before = BsonDocument.parse("{_id: 1, a: 1, b: {c: 1}, n: [{k: 1}], '2024': {k: 1}, other: 1}");
        var after = changed(before, BsonDocument.parse(update));
        var found = new TreeSet<String>();
        differences(before, after, "", "", found);
        assertThat(found).containsExactlyInAnyOrder(changes.split(" "));
        var touched = TouchedPaths.of(Update.of(BsonDocument.parse(update)));
        assertThat(found).allMatch(touched::has);
        for (var path : List.of("other", "b.x.y", "k", "n.j", "2024.j", "2025")) {
            assertThat(touched.has(path)).as(path).isEqualTo(path.equals("b.x.y") && update.contains("{b:"));
        }
    }
}
