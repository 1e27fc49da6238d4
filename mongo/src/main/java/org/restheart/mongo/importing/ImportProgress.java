package org.restheart.mongo.importing;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.Utf8Buffer;
import org.restheart.http.Content;

/// Server-sent events (HTML, 9.2) with the status of an import, one per second until the import has ended. Confined
/// to one response, which another thread may close.
final class ImportProgress implements Content.Source {
    /// Bytes of an event.
    static final long HELD = 1 << 10;

    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final List<String> UNDER_WAY = List.of("receiving", "running");
    private static final ByteBuffer END = ByteBuffer.allocate(0);

    private final Supplier<Optional<BsonDocument>> status;
    private final CountDownLatch closed = new CountDownLatch(1);
    private boolean begun;
    private boolean ended;

    /// @param status empty if the import was deleted, or no longer belongs to the account of this name
    ImportProgress(Supplier<Optional<BsonDocument>> status) {
        this.status = status;
    }

    @Override
    public ByteBuffer next() throws InterruptedException {
        if (ended || closed.await(begun ? INTERVAL.toNanos() : 0, TimeUnit.NANOSECONDS)) {
            return END;
        }
        begun = true;
        var now = status.get();
        ended = now.isEmpty()
                || !UNDER_WAY.contains(now.get().getString("state").getValue());
        var out = new Utf8Buffer();
        out.ascii("data: ");
        JsonEncoder.of(JsonMode.RELAXED).encode(now.orElseGet(BsonDocument::new), out);
        out.ascii("\n\n");
        return out.toByteBuffer();
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
