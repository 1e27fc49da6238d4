package org.restheart.core.noninterference;

import java.util.List;
import java.util.SplittableRandom;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/// Random choices that a seed repeats, and the short forms that generators build BSON with.
final class Dice {
    private final SplittableRandom random;

    Dice(long seed) {
        random = new SplittableRandom(seed);
    }

    long seed() {
        return random.nextLong() >>> 1;
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    boolean percent(int chance) {
        return random.nextInt(100) < chance;
    }

    @SafeVarargs
    final <T> T of(T... choices) {
        return choices[random.nextInt(choices.length)];
    }

    <T> T of(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    static BsonDocument parse(String json) {
        return BsonDocument.parse(json);
    }

    static BsonDocument document(String key, BsonValue value) {
        return new BsonDocument(key, value);
    }

    static BsonArray array(BsonValue... values) {
        return new BsonArray(List.of(values));
    }
}
