package org.restheart.perftest.ycsb;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;

/// Records whether any operation of a transaction failed, which the core workloads do not report. One per thread.
final class WatchedDb extends DB {
    private final DB db;
    private String failure = "";

    WatchedDb(DB db) {
        this.db = db;
    }

    /// What failed since the last call, empty if nothing did.
    String takeFailure() {
        var taken = failure;
        failure = "";
        return taken;
    }

    @Override
    public Status read(String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
        return watched(db.read(table, key, fields, result));
    }

    @Override
    @SuppressWarnings("NonApiType") // as YCSB declares it
    public Status scan(
            String table, String first, int count, Set<String> fields, Vector<HashMap<String, ByteIterator>> result) {
        return watched(db.scan(table, first, count, fields, result));
    }

    @Override
    public Status update(String table, String key, Map<String, ByteIterator> values) {
        return watched(db.update(table, key, values));
    }

    @Override
    public Status insert(String table, String key, Map<String, ByteIterator> values) {
        return watched(db.insert(table, key, values));
    }

    @Override
    public Status delete(String table, String key) {
        return watched(db.delete(table, key));
    }

    private Status watched(Status status) {
        if (!status.isOk()) {
            failure = status.getName();
        }
        return status;
    }
}
