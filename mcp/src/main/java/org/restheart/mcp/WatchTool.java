package org.restheart.mcp;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.JsonMode;
import org.restheart.bson.JsonParser;
import org.restheart.data.Operation.Read;
import org.restheart.http.Content;
import org.restheart.http.Lease;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.access.CallerScope;
import org.restheart.http.judged.JudgedRequest.Answer;
import org.restheart.http.push.Frame;
import org.restheart.http.push.Message;
import org.restheart.http.push.Subscription;
import org.restheart.mcp.Resources.ResourceUri;

/// Waits for events of a declared change stream, for a bounded time. Each result contains the token from which
/// the next call continues, so that no event is lost between calls. Thread-safe.
record WatchTool(McpConfig config, JudgedCalls calls, SealedTokens.Cursors cursors) {
    private static final Duration RESUMABLE = Duration.ofDays(1);
    private static final int EVENTS = 20;
    private static final int SECONDS = 20;

    /// How long to wait for the position of a stream without events.
    private static final long POSITION_MILLIS = 3_000;
    private static final long PAUSE_MILLIS = 50;

    private static final String AFTER = "after";
    private static final String POSITION = "Last-Event-ID";

    WatchTool(McpConfig config, JudgedCalls calls, SealedTokens tokens) {
        this(config, calls, new SealedTokens.Cursors(tokens, AFTER, RESUMABLE));
    }

    ToolResult watch(ToolCall call) {
        var after = call.optionalText(AFTER).map(token -> open(call, token));
        var subscription = subscribe(call, after);
        try {
            var sizes = config.sizes();
            var block = new DataBlock(call.number("max-events", EVENTS), sizes.defaultBytes(), sizes.maxString());
            var progress = call.http().attribute(ProgressStream.PROGRESS).orElse(_ -> {});
            var events = new Events(subscription, block, progress, call.http().lease(), after);
            events.await(Duration.ofSeconds(call.number("max-seconds", SECONDS)));
            return result(call, block, events.next());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw RefusedCall.interrupted(call, e);
        } finally {
            subscription.onGone().run();
        }
    }

    private String open(ToolCall call, String token) {
        return cursors.open(
                token,
                call.credential(),
                matter(call),
                content -> content.getString("t").getValue());
    }

    /// The arguments that must be equal in all calls; the number of events may differ.
    private static BsonValue matter(ToolCall call) {
        return new BsonArray(List.of(
                new BsonString(call.text("database")),
                new BsonString(call.text("collection")),
                new BsonString(call.text("stream")),
                call.arguments().getOrDefault("variables", new BsonDocument())));
    }

    private Subscription subscribe(ToolCall call, Optional<String> after) {
        var name = ResourceUri.encoded(call.text("stream"));
        var request = call.request(Read.WATCH, calls.collection(call), name, call.query("variables"))
                .withHeader("Accept", "text/event-stream")
                .with(new Answer.Json(JsonMode.EXTENDED));
        var resumed = after.map(token -> request.withHeader(POSITION, token)).orElse(request);
        try {
            if (calls.sendToDeclared(call, "stream", resumed).content() instanceof Content.Push(var subscription)) {
                return subscription;
            }
        } catch (ProblemException e) { // the REST API calls the position by the name of its header
            if (after.isEmpty()) {
                throw e;
            }
            throw switch (e.problem().code()) {
                case HISTORY_LOST ->
                    new RefusedCall(
                            "refused",
                            "what happened since '" + AFTER + "' is no longer known: call without it, and find the"
                                    + " documents as they are now");
                case BAD_REQUEST ->
                    new RefusedCall("refused", "'" + AFTER + "' is no place in this stream: call without it");
                default -> e;
            };
        }
        throw new ProblemException(ProblemCode.INTERNAL, "the change stream could not be opened");
    }

    private ToolResult result(ToolCall call, DataBlock block, Optional<String> next) {
        var sealed = next.map(
                token -> cursors.next(call.credential(), matter(call), new BsonDocument("t", new BsonString(token))));
        var summary =
                "Returned " + block.count() + (block.count() == 1 ? " event of " : " events of ") + call.namespace();
        return ToolResult.of(summary, block, sealed, config.sizes());
    }

    /// The events of one call. Confined to its thread.
    private static final class Events {
        private final Subscription subscription;
        private final DataBlock block;
        private final IntConsumer progress;

        /// Of the request, which holds what is made of an event while it is shortened.
        private final Lease lease;

        private final Semaphore woken = new Semaphore(0);

        /// The token of the last event in the block.
        private Optional<String> last;

        private boolean taken;
        private boolean full;

        Events(Subscription subscription, DataBlock block, IntConsumer progress, Lease lease, Optional<String> after) {
            this.subscription = subscription;
            this.block = block;
            this.progress = progress;
            this.lease = lease;
            this.last = after;
        }

        /// Returns when the block is full, the stream has ended or the time is over.
        void await(Duration time) throws InterruptedException {
            long end = System.nanoTime() + time.toNanos();
            subscription.backlog().connect(woken::release);
            drain();
            while (!full && !subscription.backlog().hasEnded()) {
                long left = end - System.nanoTime();
                if (left <= 0 || !woken.tryAcquire(left, TimeUnit.NANOSECONDS)) {
                    return;
                }
                woken.drainPermits();
                drain();
            }
        }

        private void drain() {
            while (!full) {
                var frame = subscription.backlog().take();
                if (frame == null) {
                    return;
                }
                subscription.onSent().accept(frame);
                add(frame);
            }
        }

        /// @throws ProblemException 503 if the caller cannot have the memory for it
        private void add(Frame frame) {
            try (var memory = lease.another(List.of(CallerScope.current()))) {
                memory.await(Content.CONVERTED * frame.bytes().remaining());
                Message.of(frame).ifPresent(this::add);
            }
        }

        private void add(Message message) {
            full = !block.add(JsonParser.parseDocument(message.data()));
            if (!full) {
                taken = true;
                last = Optional.of(message.id());
                full = block.isFull();
                progress.accept(block.count());
            }
        }

        /// The token from which the next call continues: that of the last event, or the stream's position if
        /// there was none. When that position is known, all events before it are in the backlog.
        Optional<String> next() throws InterruptedException {
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(POSITION_MILLIS);
            do {
                var reached = subscription.position().get();
                drain();
                if (taken || full) {
                    return last;
                }
                if (reached.isPresent()) {
                    return reached;
                }
                Thread.sleep(PAUSE_MILLIS);
            } while (System.nanoTime() < end
                    && last.isEmpty()
                    && !subscription.backlog().hasEnded());
            return last;
        }
    }
}
