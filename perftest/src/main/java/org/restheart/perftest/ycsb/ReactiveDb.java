package org.restheart.perftest.ycsb;

import com.mongodb.MongoException;
import com.mongodb.MongoInterruptedException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.WriteConcern;
import com.mongodb.reactivestreams.client.MongoDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/// YCSB over the reactive streams driver: each thread waits for its answer, as YCSB's threads do. Thread-safe.
final class ReactiveDb extends MongoDb {
    private final MongoDatabase database;

    ReactiveDb(MongoDatabase database) {
        this.database = database.withWriteConcern(WriteConcern.MAJORITY).withCodecRegistry(Values.WITH_VALUES);
    }

    @Override
    List<Values> find(String table, Bson filter, Bson projection, int limit) {
        return await(database.getCollection(table, Values.class)
                .find(filter)
                .projection(projection)
                .sort(BY_ID)
                .limit(limit));
    }

    @Override
    boolean update(String table, Bson filter, Bson update) {
        return await(database.getCollection(table).updateOne(filter, update))
                        .getFirst()
                        .getMatchedCount()
                == 1;
    }

    @Override
    void insert(String table, Document document) {
        await(database.getCollection(table).insertOne(document));
    }

    @Override
    void delete(String table, Bson filter) {
        await(database.getCollection(table).deleteOne(filter));
    }

    private static <T> List<T> await(Publisher<T> publisher) {
        var gathered = new Gathered<T>();
        publisher.subscribe(gathered);
        return gathered.await();
    }

    /// Waits for everything that a publisher has. For one subscription and one waiting thread.
    private static final class Gathered<T> implements Subscriber<T> {
        private static final int TIMEOUT_SECONDS = 60;

        private final List<T> values = new ArrayList<>();
        private final CountDownLatch over = new CountDownLatch(1);
        private volatile @Nullable Throwable failure;

        /// @throws MongoException what the publisher reports, or that it takes too long
        List<T> await() {
            try {
                if (!over.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                    throw new MongoTimeoutException("no answer for " + TIMEOUT_SECONDS + " s");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new MongoInterruptedException("interrupted while waiting", e);
            }
            var failed = failure;
            if (failed != null) {
                throw MongoException.fromThrowableNonNull(failed);
            }
            return values;
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(T value) {
            values.add(value);
        }

        @Override
        public void onError(Throwable failure) {
            this.failure = failure;
            over.countDown();
        }

        @Override
        public void onComplete() {
            over.countDown();
        }
    }
}
