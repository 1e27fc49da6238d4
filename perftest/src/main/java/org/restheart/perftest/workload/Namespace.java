package org.restheart.perftest.workload;

/// A database and a collection; both are path segments of the gateway's address without escaping.
public record Namespace(String database, String collection) {
    public Namespace {
        plain(database);
        plain(collection);
    }

    public String path() {
        return "/" + database + "/" + collection;
    }

    private static void plain(String name) {
        if (!name.matches("[A-Za-z][A-Za-z0-9_-]{0,60}")) {
            throw new IllegalArgumentException("not a plain name: " + name);
        }
    }
}
