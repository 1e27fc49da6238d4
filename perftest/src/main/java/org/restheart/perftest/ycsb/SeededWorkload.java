package org.restheart.perftest.ycsb;

import java.util.Properties;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import site.ycsb.Utils;
import site.ycsb.WorkloadException;
import site.ycsb.generator.AcknowledgedCounterGenerator;
import site.ycsb.generator.DiscreteGenerator;
import site.ycsb.generator.NumberGenerator;
import site.ycsb.generator.ScrambledZipfianGenerator;
import site.ycsb.generator.ZipfianGenerator;
import site.ycsb.workloads.CoreWorkload;

/// YCSB's own core workload, but what it chooses is drawn from a seed: the kind of transaction, its key, the
/// length of a scan, the field of an update. YCSB's generators draw from
/// [java.util.concurrent.ThreadLocalRandom], which takes none.
///
/// Every thread has one of its own; those of one run share the numbers of inserted documents. So the choices of
/// a thread are the same in every run, but that `latest` keys count from the newest document, whoever has
/// inserted it. The text within fields is YCSB's, without a seed.
final class SeededWorkload extends CoreWorkload {
    private final YcsbWorkload mix;
    private final SplittableRandom random;
    private final @Nullable AcknowledgedCounterGenerator inserted;

    /// @param first of the threads of this run; null for the first itself
    SeededWorkload(YcsbWorkload mix, long seed, @Nullable SeededWorkload first) {
        this.mix = mix;
        this.random = new SplittableRandom(seed);
        this.inserted = first == null ? null : first.transactioninsertkeysequence;
    }

    @Override
    public void init(Properties properties) throws WorkloadException {
        super.init(properties);
        if (inserted != null) {
            transactioninsertkeysequence = inserted;
        }
        operationchooser = new Kinds();
        fieldchooser = uniform(0, fieldcount);
        scanlength = uniform(1, 1L + mix.longestScan());
        keychooser = mix.latest() ? latest() : scrambled(recordcount + mix.expectedInserts());
    }

    private NumberGenerator uniform(long from, long to) {
        return new Drawn(() -> random.nextLong(from, to));
    }

    /// Popular keys anywhere in the table, as `ScrambledZipfianGenerator` spreads them.
    private NumberGenerator scrambled(long keys) {
        var zipfian = Zipfian.scrambled();
        return new Drawn(() -> Utils.fnvhash64(zipfian.at(random.nextDouble())) % keys);
    }

    /// The newest document is the most popular, as in `SkewedLatestGenerator`.
    private NumberGenerator latest() {
        var zipfian = Zipfian.over(recordcount);
        return new Drawn(() -> transactioninsertkeysequence.lastValue() - zipfian.at(random.nextDouble()));
    }

    private static final class Drawn extends NumberGenerator {
        private final LongSupplier next;

        Drawn(LongSupplier next) {
            this.next = next;
        }

        @Override
        public Number nextValue() {
            var value = next.getAsLong();
            setLastValue(value);
            return value;
        }

        @Override
        public double mean() {
            throw new UnsupportedOperationException("nobody asks");
        }
    }

    private final class Kinds extends DiscreteGenerator {
        @Override
        public String nextValue() {
            return mix.kind(random.nextDouble());
        }
    }

    /// Zipf's distribution with YCSB's constants, by the method of Gray and others, "Quickly generating billion-record
    /// synthetic databases" (SIGMOD 1994), which YCSB uses as well. Immutable.
    ///
    /// @param items how many there are; 0 is the most popular
    /// @param zeta the sum of `1 / i^theta` over all of them
    record Zipfian(long items, double theta, double zeta) {

        /// Over so many items; takes time in proportion.
        static Zipfian over(long items) {
            var zeta = 0.0;
            for (var i = 1L; i <= items; i++) {
                zeta += 1 / Math.pow((double) i, ZipfianGenerator.ZIPFIAN_CONSTANT);
            }
            return new Zipfian(items, ZipfianGenerator.ZIPFIAN_CONSTANT, zeta);
        }

        /// Over the many items that are then hashed to keys.
        static Zipfian scrambled() {
            return new Zipfian(
                    ScrambledZipfianGenerator.ITEM_COUNT,
                    ScrambledZipfianGenerator.USED_ZIPFIAN_CONSTANT,
                    ScrambledZipfianGenerator.ZETAN);
        }

        /// @param u uniformly random from 0 to 1
        long at(double u) {
            var scaled = u * zeta;
            if (scaled < 1) {
                return 0;
            }
            if (scaled < 1 + Math.pow(0.5, theta)) {
                return 1;
            }
            var eta = (1 - Math.pow(2.0 / items, 1 - theta)) / (1 - (1 + Math.pow(0.5, theta)) / zeta);
            return (long) (items * Math.pow(eta * u - eta + 1, 1 / (1 - theta)));
        }
    }
}
