package org.restheart.perftest.ycsb;

import java.util.Properties;
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

    /// A workload of its own, whose sequence of inserts starts behind the loaded documents.
    CoreWorkload create(String table, long records) {
        var properties = new Properties();
        properties.setProperty("table", table);
        properties.setProperty("recordcount", Long.toString(records));
        // sizes the Zipfian distribution for documents that are yet to be inserted
        properties.setProperty("operationcount", "1000000");
        properties.setProperty("readallfields", "true");
        properties.setProperty("readproportion", Double.toString(read));
        properties.setProperty("updateproportion", Double.toString(update));
        properties.setProperty("insertproportion", Double.toString(insert));
        properties.setProperty("scanproportion", Double.toString(scan));
        properties.setProperty("readmodifywriteproportion", Double.toString(readModifyWrite));
        properties.setProperty("requestdistribution", distribution);
        properties.setProperty("maxscanlength", "100");
        properties.setProperty("scanlengthdistribution", "uniform");
        Measurements.setProperties(properties);
        var workload = new CoreWorkload();
        try {
            workload.init(properties);
        } catch (WorkloadException e) {
            throw new IllegalStateException("the core workload refuses its properties", e);
        }
        return workload;
    }
}
