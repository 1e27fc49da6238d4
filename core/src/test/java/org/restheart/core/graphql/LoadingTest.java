package org.restheart.core.graphql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.util.ArrayList;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.restheart.core.data.ConformanceGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The number of commands per query, counted by MongoDB.
@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LoadingTest {
    private static final int AUTHORS = 100;

    private final TestMongo mongo;
    private final String db;

    @AutoClose
    private final ConformanceGateway gateway;

    private final GraphqlClient admin;

    LoadingTest(TestMongo mongo) {
        this.mongo = mongo;
        this.db = mongo.newDatabaseName();
        this.gateway = GraphqlGateway.start(mongo, "verbose: true");
        this.admin = new GraphqlClient(gateway, "admin");
        var authors = new ArrayList<Document>();
        var books = new ArrayList<Document>();
        var writers = new ArrayList<Document>();
        for (int i = 0; i < AUTHORS; i++) {
            authors.add(new Document("_id", i));
            writers.add(new Document("_id", "w" + i).append("name", "n" + i));
            for (int j = 0; j < 5; j++) {
                books.add(new Document("_id", i * 5 + j).append("by", i).append("writer", "w" + (i * 5 + j) % AUTHORS));
            }
        }
        var database = mongo.client().getDatabase(db);
        database.getCollection("authors").insertMany(authors);
        database.getCollection("books").insertMany(books);
        database.getCollection("writers").insertMany(writers);
        admin.define("lib", """
                {"schema": "type Author { _id: Int books: [Book] top: [Book] tops: [Book] } type Book { _id: Int writer: Writer alone: Writer } type Writer { name: String } type Query { authors(max: Int): [Author] author(id: Int): Author }",
                 "mappings": {
                   "Author": {
                     "books": {"db": "$db", "collection": "books", "find": {"by": {"$fk": "_id"}}, "sort": {"_id": 1}},
                     "top": {"db": "$db", "collection": "books", "find": {"by": {"$fk": "_id"}}, "sort": {"_id": -1}, "limit": 2},
                     "tops": {"db": "$db", "collection": "books", "stages": [{"$match": {"by": {"$fk": "_id"}}}, {"$sort": {"_id": -1}}, {"$limit": 2}]}},
                   "Book": {
                     "writer": {"db": "$db", "collection": "writers", "find": {"_id": {"$fk": "writer"}}},
                     "alone": {"db": "$db", "collection": "writers", "find": {"_id": {"$fk": "writer"}}, "dataLoader": {"batching": true, "caching": true, "maxBatchSize": 2}}},
                   "Query": {
                     "author": {"db": "$db", "collection": "authors", "find": {"_id": {"$arg": "id"}}},
                     "authors": {"db": "$db", "collection": "authors", "sort": {"_id": 1}, "limit": {"$arg": ["max", 100]}}}}}
                """.replace("$db", db));
    }

    /// Commands that read the database of this class while something runs.
    private long commands(Runnable work) {
        long before = reads();
        work.run();
        return reads() - before;
    }

    private long reads() {
        var top = mongo.client()
                .getDatabase("admin")
                .runCommand(new Document("top", 1))
                .get("totals", Document.class);
        return Set.of("authors", "books", "writers").stream()
                .map(collection -> top.get(db + "." + collection, Document.class))
                .mapToLong(collection -> collection
                                .get("queries", Document.class)
                                .get("count", Number.class)
                                .longValue()
                        + collection
                                .get("commands", Document.class)
                                .get("count", Number.class)
                                .longValue())
                .sum();
    }

    @Test
    void a_hundred_authors_with_five_books_and_their_writers_cost_six_commands_at_most() {
        var query = "{authors{_id books{_id writer{name}}}}";
        admin.answer("lib", query); // the collections are known from here on
        var answer = new BsonDocument[1];
        long commands = commands(() -> answer[0] = admin.answer("lib", query));
        assertThat(commands).isBetween(3L, 6L);
        var authors = answer[0].getDocument("data").getArray("authors");
        assertThat(authors).hasSize(AUTHORS);
        for (var author : authors) {
            int id = author.asDocument().getInt32("_id").getValue();
            var books = author.asDocument().getArray("books");
            assertThat(books).hasSize(5);
            for (int j = 0; j < 5; j++) {
                var book = books.get(j).asDocument();
                assertThat(book.getInt32("_id").getValue()).isEqualTo(id * 5 + j);
                assertThat(book.getDocument("writer").getString("name").getValue())
                        .isEqualTo("n" + (id * 5 + j) % AUTHORS);
            }
        }
    }

    @Test
    void fields_with_limits_and_pipelines_are_loaded_together_with_the_results_of_each() {
        var answer = admin.answer("lib", "{authors{_id top{_id} tops{_id}}}");
        assertThat(answer.containsKey("errors")).isFalse();
        var authors = answer.getDocument("data").getArray("authors");
        assertThat(authors).hasSize(AUTHORS);
        for (var author : authors) {
            int id = author.asDocument().getInt32("_id").getValue();
            for (var field : new String[] {"top", "tops"}) {
                assertThat(author.asDocument().getArray(field).stream()
                                .map(book -> book.asDocument().getInt32("_id").getValue()))
                        .containsExactly(id * 5 + 4, id * 5 + 3);
            }
        }
    }

    @Test
    void declared_loaders_are_listed_in_verbose_answers() {
        var answer = admin.answer("lib", "{authors(max: 4){books{alone{name}}}}"); // 20 books, 20 writers
        var statistics =
                answer.getDocument("extensions").getDocument("dataloader").getDocument("overall-statistics");
        assertThat(statistics.getNumber("batchLoadCount").intValue()).isEqualTo(20);
        assertThat(statistics.getNumber("batchInvokeCount").intValue()).isEqualTo(10);
        var silent = admin.answer("lib", "{authors(max: 4){books{writer{name}}}}");
        assertThat(silent.getDocument("extensions")
                        .getDocument("dataloader")
                        .getDocument("overall-statistics")
                        .getNumber("loadCount")
                        .intValue())
                .isZero();
    }

    @Test
    void reads_by_id_of_many_requests_leave_together() throws Exception {
        admin.answer("lib", "{author(id: 1){_id}}");
        int requests = 200;
        long before = reads();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var asked = new ArrayList<Callable<Integer>>();
            for (int i = 0; i < requests; i++) {
                int id = i % AUTHORS;
                asked.add(() -> admin.answer("lib", "{author(id: " + id + "){_id}}")
                        .getDocument("data")
                        .getDocument("author")
                        .getInt32("_id")
                        .getValue());
            }
            var answers = threads.invokeAll(asked);
            for (int i = 0; i < requests; i++) {
                assertThat(answers.get(i).get()).isEqualTo(i % AUTHORS);
            }
        }
        assertThat(reads() - before).isLessThan(requests);
    }

    @Test
    void introspection_beyond_good_faith_is_refused() {
        var nested = "{__schema{types{fields{type{fields{type{fields{type{fields{type{name}}}}}}}}}}}";
        var response = admin.ask("lib", nested);
        assertStatus(400, response);
        assertThat(response.body()).contains("ntrospection", "ValidationError");
    }
}
