package org.restheart.data;

/// A collection of a database, in MongoDB's names.
public record Namespace(String database, String collection) {
    @Override
    public String toString() {
        return database + "." + collection;
    }
}
