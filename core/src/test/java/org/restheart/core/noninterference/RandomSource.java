package org.restheart.core.noninterference;

import java.util.List;
import java.util.SplittableRandom;

/// A pseudo-random number generator with the choices that generators need.
final class RandomSource {
    private final SplittableRandom random;

    RandomSource(long seed) {
        random = new SplittableRandom(seed);
    }

    /// A seed for another source: a positive number.
    long nextSeed() {
        return random.nextLong() >>> 1;
    }

    int nextInt(int bound) {
        return random.nextInt(bound);
    }

    boolean percent(int chance) {
        return random.nextInt(100) < chance;
    }

    @SafeVarargs
    final <T> T pick(T... choices) {
        return choices[random.nextInt(choices.length)];
    }

    <T> T pick(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }
}
