package org.restheart.perftest.ycsb;

import site.ycsb.generator.ScrambledZipfianGenerator;
import site.ycsb.generator.ZipfianGenerator;

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
