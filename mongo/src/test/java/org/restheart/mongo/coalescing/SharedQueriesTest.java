package org.restheart.mongo.coalescing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.mongodb.MongoNamespace;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonBinary;
import org.bson.BsonInt32;
import org.bson.RawBsonDocument;
import org.junit.jupiter.api.Test;
import org.restheart.http.Lease;
import org.restheart.mongo.find.QueryKey;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// What is remembered of queries that were run.
@WithMongo
class SharedQueriesTest {
    private static final int LARGE = 1 << 20;
    private static final int MANY = 64;

    private final Coalescer queries;

    SharedQueriesTest(TestMongo mongo) {
        queries = new Coalescer(mongo.client(), CoalescingConfig.DEFAULT, new SimpleMeterRegistry());
    }

    private static QueryKey key(int number, int bytes) {
        return QueryKey.of(new MongoNamespace("db", "c"))
                .add(new BsonInt32(number))
                .add(new BsonBinary(new byte[bytes]))
                .key();
    }

    private List<WeakReference<QueryKey>> run(int bytes) {
        var keys = new ArrayList<WeakReference<QueryKey>>();
        for (int i = 0; i < MANY; i++) {
            var result = List.of(List.of(RawBsonDocument.parse("{n: " + i + "}")));
            var key = key(i, bytes);
            assertThat(queries.share(key, Lease.CONSTANT, _ -> result)
                            .toCompletableFuture()
                            .join())
                    .isSameAs(result);
            keys.add(new WeakReference<>(key));
        }
        return keys;
    }

    private static long held(List<WeakReference<QueryKey>> keys) {
        System.gc();
        return keys.stream().filter(key -> key.get() != null).count();
    }

    @Test
    void large_queries_do_not_stay_in_memory() {
        var large = run(LARGE);
        await().until(() -> held(large) <= 16);
        assertThat(held(run(10))).as("small ones do").isEqualTo(MANY);
    }
}
