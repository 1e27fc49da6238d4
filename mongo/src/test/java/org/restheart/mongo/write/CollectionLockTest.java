package org.restheart.mongo.write;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClients;
import com.mongodb.client.model.IndexModel;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.junit.jupiter.api.Test;
import org.restheart.http.RequestStart;
import org.restheart.mongo.concern.BoundedConcern;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

@WithMongo
class CollectionLockTest {
    private static final int MOST = (int) SessionCollection.LONGEST_WRITE.toMillis();

    @Test
    void a_lock_is_waited_for_no_longer_than_the_rest_of_the_time_of_its_request(TestMongo mongo) {
        assertThat(limits(mongo, Duration.ZERO)).isNotEmpty().allMatch(limit -> limit > 0 && limit <= MOST);
        assertThat(limits(mongo, Duration.ofSeconds(7))).isNotEmpty().allMatch(limit -> limit > 0 && limit <= 3_000);
        assertThat(limits(mongo, BoundedConcern.LIMIT)).containsOnly(1_000L);
    }

    /// Of the commands that a request sends.
    ///
    /// @param age of the request
    private static List<Long> limits(TestMongo mongo, Duration age) {
        var limits = new ArrayList<Long>();
        var settings = MongoClientSettings.builder()
                .applyConnectionString(new ConnectionString(mongo.connectionString()))
                .addCommandListener(new CommandListener() {
                    @Override
                    public void commandStarted(CommandStartedEvent event) {
                        if (List.of("createIndexes", "dropIndexes").contains(event.getCommandName())) {
                            limits.add(event.getCommand()
                                    .getNumber("maxTimeMS", new BsonInt64(0))
                                    .longValue());
                        }
                    }
                });
        try (var client = MongoClients.create(settings.build())) {
            var database = client.getDatabase(mongo.databaseName());
            var collection = database.getCollection("locked");
            RequestStart.during(System.nanoTime() - age.toNanos(), () -> {
                CollectionLock.createIndexes(
                        database, collection, List.of(new IndexModel(BsonDocument.parse("{n: 1}"))));
                CollectionLock.require(database, "locked");
                CollectionLock.requireAll(database);
            });
        }
        return limits;
    }
}
