package org.restheart.perftest.ycsb;

import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.function.Supplier;
import site.ycsb.WorkloadException;
import site.ycsb.measurements.Measurements;
import site.ycsb.workloads.CoreWorkload;

/// The core workloads as YCSB ships them: ten fields of 100 bytes each, Zipfian choice unless another is said.
public enum YcsbWorkload {
    /// Session store: half reads, half updates.
    A(0.5, 0.5, 0, 0, 0, "zipfian"),
    /// Photo tagging: mostly reads.
    B(0.95, 0.05, 0, 0, 0, "zipfian"),
    /// User profiles: only reads.
    C(1, 0, 0, 0, 0, "zipfian"),
    /// Status updates: people read the latest.
    D(0.95, 0, 0.05, 0, 0, "latest"),
    /// Threaded conversations: scans of up to 100 documents.
    E(0, 0, 0.05, 0.95, 0, "zipfian"),
    /// User database: half reads, half reads followed by an update.
    F(0.5, 0, 0, 0, 0.5, "zipfian");

    private static final long OPERATIONS = 1_000_000;
    private static final int LONGEST_SCAN = 100;
    private static final long SEED_STEP = 1000;

    private final double read;
    private final double update;
    private final double insert;
    private final double scan;
    private final double readModifyWrite;
    private final String distribution;

    YcsbWorkload(double read, double update, double insert, double scan, double readModifyWrite, String distribution) {
        this.read = read;
        this.update = update;
        this.insert = insert;
        this.scan = scan;
        this.readModifyWrite = readModifyWrite;
        this.distribution = distribution;
    }

    /// Whether a run adds documents, so that the next needs the collection anew.
    public boolean inserts() {
        return insert > 0;
    }

    /// Whether the newest documents are the most popular.
    boolean latest() {
        return distribution.equals("latest");
    }

    int longestScan() {
        return LONGEST_SCAN;
    }

    /// How many keys beyond the loaded ones may be chosen once they exist, as YCSB estimates it.
    long expectedInserts() {
        return (long) (OPERATIONS * insert * 2);
    }

    /// The kind of a transaction, in YCSB's words.
    ///
    /// @param u uniformly random from 0 to 1
    String kind(double u) {
        var left = u - read;
        if (left < 0) {
            return "READ";
        }
        left -= update;
        if (left < 0) {
            return "UPDATE";
        }
        left -= insert;
        if (left < 0) {
            return "INSERT";
        }
        return left - scan < 0 ? "SCAN" : "READMODIFYWRITE";
    }

    /// A workload for loading, whose sequence of inserts starts behind the loaded documents.
    CoreWorkload create(String table, long records) {
        return initialized(CoreWorkload::new, table, records);
    }

    /// The workloads of so many threads.
    List<CoreWorkload> create(String table, long records, int threads, long seed) {
        var first = initialized(() -> new SeededWorkload(this, seed * SEED_STEP, null), table, records);
        var workloads = new ArrayList<CoreWorkload>();
        workloads.add(first);
        for (var i = 1; i < threads; i++) {
            var own = seed * SEED_STEP + i;
            workloads.add(initialized(() -> new SeededWorkload(this, own, first), table, records));
        }
        return workloads;
    }

    private <W extends CoreWorkload> W initialized(Supplier<W> constructor, String table, long records) {
        var properties = new Properties();
        properties.setProperty("table", table);
        properties.setProperty("recordcount", Long.toString(records));
        // sizes the Zipfian distribution for documents that are yet to be inserted
        properties.setProperty("operationcount", Long.toString(OPERATIONS));
        properties.setProperty("readallfields", "true");
        properties.setProperty("readproportion", Double.toString(read));
        properties.setProperty("updateproportion", Double.toString(update));
        properties.setProperty("insertproportion", Double.toString(insert));
        properties.setProperty("scanproportion", Double.toString(scan));
        properties.setProperty("readmodifywriteproportion", Double.toString(readModifyWrite));
        properties.setProperty("requestdistribution", distribution);
        properties.setProperty("maxscanlength", Integer.toString(LONGEST_SCAN));
        properties.setProperty("scanlengthdistribution", "uniform");
        // a workload asks for YCSB's own measurements when it is made
        Measurements.setProperties(properties);
        var workload = constructor.get();
        try {
            workload.init(properties);
        } catch (WorkloadException e) {
            throw new IllegalStateException("the core workload refuses its properties", e);
        }
        return workload;
    }
}
