package org.restheart.perftest.deploy;

import org.bson.Document;

/// The GraphQL app that the gateway and [PlainGraphql] serve alike, over documents of one collection and authors with
/// their books.
public final class GraphqlApp {
    public static final String DATABASE = "perftest";
    public static final String AUTHORS = "graphql-authors";
    public static final String BOOKS = "graphql-books";
    /// How many authors the nested query lists.
    public static final int LISTED = 10;

    private GraphqlApp() {}

    /// The collection that is read by id.
    public static String read(int documents) {
        return "docs-" + documents + "-150";
    }

    /// @param id the type of identifiers
    public static String schema(String id) {
        return "type Document { id: " + id
                + " n: Long group: String text: String }".replace("Long", id.equals("ID") ? "Float" : "Long")
                + " type Author { name: String books: [Book] }"
                + " type Book { title: String writer: Author }"
                + " type Query { one(id: " + id + "): Document authors: [Author] }";
    }

    /// The app as the gateway stores it.
    public static Document definition(int documents) {
        var one = mapping(read(documents)).append("find", new Document("_id", new Document("$arg", "id")));
        var books = mapping(BOOKS).append("find", new Document("author", foreign("_id")));
        var writer = mapping(AUTHORS).append("find", new Document("_id", foreign("author")));
        return new Document("_id", "perftest")
                .append("descriptor", new Document("uri", "perftest").append("enabled", true))
                .append("schema", schema("ObjectId"))
                .append(
                        "mappings",
                        new Document("Document", new Document("id", "_id"))
                                .append("Author", new Document("books", books))
                                .append("Book", new Document("writer", writer))
                                .append(
                                        "Query",
                                        new Document("one", one)
                                                .append(
                                                        "authors",
                                                        mapping(AUTHORS).append("limit", LISTED))));
    }

    private static Document mapping(String collection) {
        return new Document("db", DATABASE).append("collection", collection);
    }

    /// As keys that begin with `$` are stored.
    private static Document foreign(String path) {
        return new Document("$fk", path);
    }
}
