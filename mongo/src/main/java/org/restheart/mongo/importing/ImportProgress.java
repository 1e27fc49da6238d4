package org.restheart.mongo.importing;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.Utf8Buffer;
import org.restheart.http.Content;

/// Server-sent events (HTML, 9.2) with the status of an import, each second until it has ended. Confined to one
/// response.
final class ImportProgress implements Content.Source {
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final List<String> UNDER_WAY = List.of("receiving", "running");
    private static final ByteBuffer END = ByteBuffer.allocate(0);

    private final Supplier<Optional<BsonDocument>> status;
    private boolean begun;
    private boolean ended;

    /// @param status empty if the import is gone
    ImportProgress(Supplier<Optional<BsonDocument>> status) {
        this.status = status;
    }

    @Override
    public ByteBuffer next() throws InterruptedException {
        if (ended) {
            return END;
        }
        if (begun) {
            Thread.sleep(INTERVAL);
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
        ended = true;
    }
}
