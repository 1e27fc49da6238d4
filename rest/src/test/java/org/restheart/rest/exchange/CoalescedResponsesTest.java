package org.restheart.rest.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.model.InsertOneModel;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.bson.RawBsonDocument;
import org.junit.jupiter.api.Test;
import org.restheart.http.Response;
import org.restheart.mongo.coalescing.Coalescer;
import org.restheart.mongo.coalescing.CoalescingConfig;
import org.restheart.mongo.write.BulkWrites.Writes;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

@WithMongo
class CoalescedResponsesTest {
    private final TestMongo mongo;
    private final Coalescer coalescer;

    CoalescedResponsesTest(TestMongo mongo) {
        this.mongo = mongo;
        this.coalescer = new Coalescer(mongo.client(), CoalescingConfig.DEFAULT, new SimpleMeterRegistry());
    }

    /// They may be many, and who sends the response must not be kept.
    @Test
    void the_response_to_writes_that_go_alone_is_built_on_their_thread() {
        var collection = mongo.database().getCollection("alone", RawBsonDocument.class);
        var models = List.of(new InsertOneModel<>(RawBsonDocument.parse("{_id: 1}")));
        var builder = new AtomicReference<Thread>();
        new CoalescedResponses(coalescer, false)
                .write(
                        new Writes(collection, Optional.empty(), models, true, Optional.empty(), Optional.empty()),
                        true,
                        _ -> {
                            builder.set(Thread.currentThread());
                            return Response.status(200);
                        })
                .settled();
        assertThat(builder.get()).isNotNull().isNotSameAs(Thread.currentThread());
        assertThat(collection.countDocuments()).isEqualTo(1);
    }
}
