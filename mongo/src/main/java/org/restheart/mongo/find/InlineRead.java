package org.restheart.mongo.find;

import com.mongodb.client.MongoCollection;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// A read by a thread that must not wait for MongoDB for long, and that another thread performs if this one fails:
/// its queries have a time limit, which also ends them if MongoDB does not answer at all, and what would take several
/// of them fails.
public final class InlineRead {
    private static final ScopedValue<Duration> LIMIT = ScopedValue.newInstance();

    private InlineRead() {}

    /// Performs a read whose queries have a time limit.
    ///
    /// @param limit also of selecting a server, getting a connection and reading the reply
    public static <T> T within(Duration limit, Supplier<T> read) {
        return ScopedValue.where(LIMIT, limit).call(read::get);
    }

    static <T> MongoCollection<T> limited(MongoCollection<T> collection) {
        return LIMIT.isBound() ? collection.withTimeout(LIMIT.get().toMillis(), TimeUnit.MILLISECONDS) : collection;
    }

    /// How long one of its queries may take; empty if this thread may wait.
    static Optional<Duration> limit() {
        return LIMIT.isBound() ? Optional.of(LIMIT.get()) : Optional.empty();
    }

    public static boolean isBound() {
        return LIMIT.isBound();
    }

    /// To be called before anything that may take longer than one query.
    ///
    /// @throws IllegalStateException during such a read
    public static void forbid() {
        if (LIMIT.isBound()) {
            throw new IllegalStateException("too long for a thread that must not wait");
        }
    }
}
