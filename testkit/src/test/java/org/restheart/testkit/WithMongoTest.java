package org.restheart.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClients;
import java.util.List;
import org.bson.Document;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

@WithMongo
final class WithMongoTest {
    private final TestMongo mongo;

    WithMongoTest(TestMongo mongo) {
        this.mongo = mongo;
    }

    @Test
    void transactions_work() {
        try (var session = mongo.client().startSession()) {
            var books = mongo.database().getCollection("books");

            session.withTransaction(() -> books.insertOne(session, new Document("_id", 1)));

            assertThat(books.countDocuments()).isEqualTo(1);
        }
    }

    @Test
    void all_tests_of_a_class_share_its_database(TestMongo parameter) {
        assertThat(parameter).isSameAs(mongo);
    }

    @Test
    void the_connection_string_leads_to_the_same_deployment() {
        mongo.database().getCollection("seen").insertOne(new Document());
        try (var client = MongoClients.create(mongo.connectionString())) {
            assertThat(client.getDatabase(mongo.databaseName())
                            .getCollection("seen")
                            .countDocuments())
                    .isEqualTo(1);
        }
    }

    @Test
    void databases_are_dropped_after_the_class() {
        var other = new TestMongo(mongo.client(), mongo.connectionString(), mongo.newDatabaseName());
        var names = List.of(other.databaseName(), other.newDatabaseName());
        names.forEach(name -> mongo.client().getDatabase(name).createCollection("kept"));

        other.close();

        assertThat(mongo.client().listDatabaseNames()).doesNotContainAnyElementsOf(names);
    }

    @Nested
    final class Inside {
        @Test
        void nested_classes_share_the_database_too(TestMongo parameter) {
            assertThat(parameter).isSameAs(mongo);
        }
    }
}
