package org.restheart.perftest.workload;

/// A database and a collection, or a bucket of files, whose name ends with `.files`; both are path segments of the
/// gateway's address without escaping.
public record Namespace(String database, String collection) {
    public static final String FILES = ".files";

    public Namespace {
        plain(database);
        plain(collection.endsWith(FILES) ? bucket(collection) : collection);
    }

    /// The name of the bucket, as drivers have it.
    public String bucket() {
        return bucket(collection);
    }

    private static String bucket(String collection) {
        return collection.substring(0, collection.length() - FILES.length());
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
