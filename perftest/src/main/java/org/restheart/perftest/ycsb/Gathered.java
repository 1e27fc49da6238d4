package org.restheart.perftest.ycsb;

import com.mongodb.MongoException;
import com.mongodb.MongoInterruptedException;
import com.mongodb.MongoTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/// Waits for everything that a publisher has. For one subscription and one waiting thread.
final class Gathered<T> implements Subscriber<T> {
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
