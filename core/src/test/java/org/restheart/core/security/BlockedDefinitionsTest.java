package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.net.http.HttpResponse;
import java.time.Duration;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.Patience;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Operations on databases in which transactions are open: they wait for a limited time.
@WithMongo
class BlockedDefinitionsTest {
    /// The limit of 5 s and a loaded machine; without a limit, MongoDB waits for 60 s.
    private static final Duration TIME_LIMIT = Duration.ofSeconds(25);

    private final TestMongo mongo;

    BlockedDefinitionsTest(TestMongo mongo) {
        this.mongo = mongo;
    }

    private static void assertRefused(HttpResponse<String> answer, long began) {
        assertStatus(503, answer);
        assertThat(answer.body()).contains("nothing was changed: open transactions hold the collection");
        assertThat(answer.headers().firstValue("Retry-After")).contains("5");
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Patience.relative(TIME_LIMIT));
    }

    @Test
    void a_database_in_which_a_transaction_is_open_is_not_dropped() {
        var name = mongo.newDatabaseName();
        var mounts = "[{what: '*', where: /}]";
        try (var gateway = TestGateway.startMounted(mongo, mounts, "");
                var session = mongo.client().startSession()) {
            var admin = gateway.as("admin");
            var etag = admin.put("/" + name, "{}").headers().firstValue("ETag").orElseThrow();
            assertStatus(201, admin.put("/" + name + "/books", "{}"));
            assertStatus(201, admin.put("/" + name + "/other", "{}"));
            session.startTransaction();
            mongo.client()
                    .getDatabase(name)
                    .getCollection("books", BsonDocument.class)
                    .insertOne(session, new BsonDocument());
            long began = System.nanoTime();
            assertRefused(admin.with("If-Match", etag).send("DELETE", "/" + name, ""), began);
            assertThat(admin.get("/" + name + "/_meta").statusCode())
                    .as("its properties stay")
                    .isEqualTo(200);
            session.abortTransaction();
            assertStatus(204, admin.with("If-Match", etag).send("DELETE", "/" + name, ""));
        }
    }
}
