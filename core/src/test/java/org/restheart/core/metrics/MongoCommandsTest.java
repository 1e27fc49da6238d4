package org.restheart.core.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Sorts;
import com.mongodb.client.model.Updates;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.restheart.core.security.LogLines;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

@WithMongo
class MongoCommandsTest {
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final TestMongo mongo;

    MongoCommandsTest(TestMongo mongo) {
        this.mongo = mongo;
    }

    private List<String> logged(Duration slow, Consumer<MongoCollection<BsonDocument>> task) {
        var settings = MongoClientSettings.builder()
                .applyConnectionString(new ConnectionString(mongo.connectionString()))
                .addCommandListener(new MongoCommands(meters, slow))
                .build();
        try (var log = new LogLines();
                var client = MongoClients.create(settings)) {
            task.accept(client.getDatabase(mongo.newDatabaseName()).getCollection("films", BsonDocument.class));
            return log.all().stream()
                    .filter(line -> line.contains("slow command"))
                    .toList();
        }
    }

    @Test
    void what_takes_long_is_logged_with_its_fields_and_operators_and_without_values() {
        var lines = logged(Duration.ofNanos(1), films -> {
            films.insertOne(BsonDocument.parse("{_id: 'S3CRET', year: 1985}"));
            films.find(BsonDocument.parse("{title: 'S3CRET', year: {$in: [1985, 1986]}, $or: [{a: 'S3CRET'}, {b: 1}]}"))
                    .sort(Sorts.descending("year"))
                    .first();
            films.aggregate(List.of(
                            BsonDocument.parse("{$match: {title: 'S3CRET'}}"), BsonDocument.parse("{$count: 'n'}")))
                    .first();
            films.updateMany(Filters.gt("year", 1900), Updates.set("title", "S3CRET"));
            films.deleteMany(Filters.eq("title", "S3CRET"));
        });
        assertThat(lines).hasSize(5).noneMatch(line -> line.contains("S3CRET") || line.contains("1985"));
        assertThat(lines.get(0)).matches("WARN slow command: insert \\S+\\.films took \\d+ ms");
        assertThat(lines.get(1))
                .contains("find ", ".films took ", "filter: {title: ?, year: {$in: [?]}, $or: [{a: ?}, {b: ?}]}")
                .contains("sort: {year: ?}");
        assertThat(lines.get(2)).contains("pipeline: [{$match: {title: ?}}, {$count: ?}]");
        assertThat(lines.get(3)).contains("asks {q: {year: {$gt: ?}}");
        assertThat(lines.get(4)).contains("asks {q: {title: ?}");
        assertThat(meters.get("mongodb_slow_commands").counter().count())
                .isGreaterThanOrEqualTo(5); // and the end of the sessions
    }

    @Test
    void commands_are_measured_by_name_and_outcome_whatever_is_logged() {
        assertThat(logged(Duration.ZERO, films -> films.find().first())).isEmpty();
        assertThat(meters.get("mongodb_driver_commands")
                        .tags("command", "find", "status", "SUCCESS")
                        .timer()
                        .count())
                .isEqualTo(1);
    }
}
