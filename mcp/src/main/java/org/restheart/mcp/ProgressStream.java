package org.restheart.mcp;

import static org.restheart.bson.BsonValues.object;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.http.Content;
import org.restheart.http.EventStream;
import org.restheart.http.Response;
import org.restheart.http.access.CallerScope;
import org.restheart.http.attribute.Key;
import org.restheart.http.push.Backlog;
import org.restheart.http.push.Ending;
import org.restheart.http.push.Frame;
import org.restheart.http.push.PushBudget;
import org.restheart.http.push.Subscription;
import org.restheart.http.push.Transport;

/// The response to a call that waits, as server-sent events: a notification for each change, and the result last. The
/// notifications contain numbers only, since stored data is shown in the fence of the result.
final class ProgressStream {
    /// Receives the number of changes so far.
    static final Key<IntConsumer> PROGRESS = Key.named("progress");

    private static final Duration KEEP_ALIVE = Duration.ofSeconds(15);
    private static final int MAX_MESSAGES = 200;
    private static final long MAX_BYTES = 1 << 20;
    private static final JsonEncoder JSON = JsonEncoder.of(JsonMode.RELAXED);

    private ProgressStream() {}

    /// Whether the client accepts events and has requested the progress of a call that waits.
    static boolean isWanted(RpcRequest rpc) {
        return rpc.progressToken().isPresent()
                && rpc.method().equals("tools/call")
                && new BsonString(Tool.WATCH.toolName()).equals(rpc.params().get("name"))
                && EventStream.isAccepted(rpc.http().headers());
    }

    /// @param budget for which messages count until the client has received them
    /// @param call gives the response to a request; runs on another thread, which is interrupted when the
    ///     client disconnects
    static Response.Ready of(RpcRequest rpc, PushBudget budget, Function<RpcRequest, Response.Ready> call) {
        var backlog = new Backlog(MAX_MESSAGES, MAX_BYTES, budget, CallerScope.current());
        var token = rpc.progressToken().orElseThrow();
        var told = rpc.with(rpc.http().with(PROGRESS, changes -> offer(backlog, bytes(progress(token, changes)))));
        var thread = Thread.ofVirtual().name("mcp-call").unstarted(CallerScope.carried(() -> {
            try {
                if (call.apply(told).content() instanceof Content.Bytes(var json, var _)) {
                    offer(backlog, json);
                }
            } finally {
                backlog.end(Ending.COMPLETE);
            }
        }));
        var isGone = new AtomicBoolean();
        thread.start();
        return EventStream.head()
                .with(
                        "text/event-stream",
                        new Content.Push(new Subscription(Transport.SSE, backlog, KEEP_ALIVE, _ -> {}, () -> {
                            if (!isGone.getAndSet(true)) {
                                thread.interrupt();
                            }
                        })));
    }

    private static BsonDocument progress(BsonValue token, int changes) {
        var params = object("progressToken", token, "progress", changes);
        return object("jsonrpc", "2.0", "method", "notifications/progress", "params", params);
    }

    private static ByteBuffer bytes(BsonDocument message) {
        return ByteBuffer.wrap(JSON.encodeToString(message).getBytes(StandardCharsets.UTF_8));
    }

    /// @param json one line
    private static void offer(Backlog backlog, ByteBuffer json) {
        var _ = backlog.offer(Frame.event("", "", json, 0));
    }
}
