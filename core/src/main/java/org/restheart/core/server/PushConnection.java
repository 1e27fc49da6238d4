package org.restheart.core.server;

import io.undertow.connector.ByteBufferPool;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.restheart.http.push.Ending;
import org.restheart.http.push.Frame;
import org.restheart.http.push.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.XnioIoThread;
import org.xnio.channels.StreamSinkChannel;

/// One open connection on which messages are sent. All work is done on the connection's I/O thread without
/// blocking: writing continues when the socket is writable. There may be tens of thousands, so there is no thread,
/// buffer or timer per connection.
abstract sealed class PushConnection permits WebSocketConnection, SseConnection {
    private static final Logger LOG = LoggerFactory.getLogger(PushConnection.class);
    private static final long NEVER = Long.MAX_VALUE;

    /// How long a client may take for the rest of a message and its part of the close frame, in nanoseconds.
    private static final long CLOSE_TIMEOUT = 5_000_000_000L;

    /// Most bytes of a message whose rest is still sent when the memory of waiting messages is full.
    private static final int MAX_REST = 16 << 10;

    /// Bytes per write: the JDK copies the whole of a buffer in the heap for each write, also what the socket does not
    /// take.
    static final int MAX_WRITE = 64 << 10;

    protected final Subscription subscription;
    private final StreamSinkChannel sink;
    private final XnioIoThread thread;
    protected final PushConnections all;
    private final PushConnections.PushLoop loop;
    private final long interval;
    private final AtomicBoolean over = new AtomicBoolean();
    private @Nullable ByteBuffer current;
    private @Nullable Frame message;
    private @Nullable ByteBuffer urgent;
    private boolean closing;
    private boolean leaving;
    private boolean stuck;
    private boolean awaiting;
    private volatile boolean ended;
    private volatile long due;

    PushConnection(StreamSinkChannel sink, XnioIoThread thread, Subscription subscription, PushConnections all) {
        this.sink = sink;
        this.thread = thread;
        this.subscription = subscription;
        this.all = all;
        this.loop = all.loop(thread);
        this.interval = subscription.keepAlive().toNanos();
        this.due = interval == 0 ? NEVER : System.nanoTime() + interval;
    }

    abstract ByteBuffer keepAliveMessage();

    /// The last bytes, for this ending; empty if there are none.
    abstract ByteBuffer lastBytes(Ending ending);

    /// Called when the last bytes have been sent. Calls [#over()] in the end.
    abstract void finish() throws IOException;

    /// Aborts the connection: nothing is read from it or written to it any more. Returns before it is closed.
    abstract void cut();

    /// Gives back what is reserved for messages of the client. Called once, by any thread, when the connection
    /// has ended.
    void release() {}

    /// Whether the client has not responded for two intervals. Called once per interval.
    abstract boolean isSilent();

    void arrived(ByteBuffer bytes) {}

    @FunctionalInterface
    interface Source {
        int read(ByteBuffer to) throws IOException;
    }

    /// Reads what the client has sent. On the I/O thread.
    ///
    /// @param suspend stops notices of bytes that arrive
    /// @param resume lets them come again
    final void read(ByteBufferPool buffers, Source source, Runnable suspend, Runnable resume) {
        ReadTurn.read(thread, () -> readTurn(buffers, source), suspend, () -> {
            if (!isOver()) {
                resume.run();
            }
        });
    }

    private boolean readTurn(ByteBufferPool buffers, Source source) {
        var turn = new ReadTurn();
        try (var pooled = buffers.allocate()) {
            var buffer = pooled.getBuffer();
            int n;
            while ((n = source.read(buffer.clear())) > 0) {
                arrived(buffer.flip());
                if (turn.isOver()) {
                    return !isOver();
                }
            }
            if (n < 0) {
                abort();
            }
        } catch (IOException e) {
            LOG.debug("a listener has gone", e);
            abort();
        }
        return false;
    }

    final void abort() {
        cut();
        over();
    }

    /// Starts sending. On the I/O thread.
    final void open() {
        sink.getWriteSetter().set(_ -> drain());
        all.add(this);
        subscription.backlog().connect(() -> loop.add(this));
    }

    /// Sends bytes ahead of the messages; a later call replaces earlier bytes that were not sent yet.
    final void sendUrgently(ByteBuffer bytes) {
        urgent = bytes;
        drain();
    }

    final void sendLast(ByteBuffer bytes) {
        if (!closing) {
            closing = true;
            setDeadline();
            urgent = bytes;
            drain();
        }
    }

    /// Ends what is sent, without closing the connection.
    final void endWrites() throws IOException {
        ended = true;
        sink.shutdownWrites();
        if (!sink.flush()) {
            LOG.debug("the end of a stream did not fit into the socket");
        }
    }

    /// Whether the client has given its stream up. Any thread.
    private boolean isGivenUp() {
        return !ended && (!sink.isOpen() || isCut());
    }

    /// Whether the connection is closed, or the client has reset its stream of HTTP/2, also while a frame of it waits
    /// for the client's window: then Undertow leaves the sink open. Any thread.
    boolean isCut() {
        return false;
    }

    final boolean isOver() {
        return over.get();
    }

    final boolean isCloseSent() {
        return closing;
    }

    /// Sends as much as the socket accepts. On the I/O thread.
    final void drain() {
        if (over.get() || ended) {
            return;
        }
        if (isGivenUp()) {
            abort();
            return;
        }
        try {
            while (current != null || (current = next()) != null) {
                write(current);
                if (current.hasRemaining()) {
                    if (current.remaining() > MAX_REST && subscription.backlog().isShed()) {
                        abort();
                        return;
                    }
                    awaitWritable();
                    return;
                }
                current = null;
                stuck = false;
                sent();
            }
            if (!sink.flush()) {
                awaitWritable();
                return;
            }
            if (awaiting) {
                awaiting = false;
                sink.suspendWrites();
            }
            if (closing) {
                finish();
            }
        } catch (IOException e) {
            LOG.debug("a listener has gone", e);
            abort();
        }
    }

    /// As much as the socket takes; also nothing, with which the head is sent.
    private void write(ByteBuffer bytes) throws IOException {
        int end = bytes.limit();
        boolean isTaken;
        do {
            bytes.limit(Math.min(end, bytes.position() + MAX_WRITE));
            sink.write(bytes);
            isTaken = !bytes.hasRemaining();
            bytes.limit(end);
        } while (isTaken && bytes.hasRemaining());
    }

    private void sent() {
        if (message != null) {
            subscription.onSent().accept(message);
            message = null;
        }
    }

    private void awaitWritable() {
        if (!awaiting) {
            awaiting = true;
            sink.resumeWrites();
        }
        if (!closing && subscription.backlog().hasEnded()) {
            setDeadline();
        }
    }

    private void setDeadline() {
        if (!leaving) {
            leaving = true;
            due = System.nanoTime() + CLOSE_TIMEOUT;
        }
    }

    private @Nullable ByteBuffer next() {
        var first = urgent;
        if (first != null) {
            urgent = null;
            return first;
        }
        if (closing) {
            return null;
        }
        var frame = subscription.backlog().take();
        if (frame != null) {
            message = frame;
            return frame.bytes().duplicate();
        }
        var ending = subscription.backlog().ending();
        if (ending.isEmpty()) {
            return null;
        }
        closing = true;
        setDeadline();
        return lastBytes(ending.get());
    }

    /// Whether work is due at this time; called by any thread. Resets of HTTP/2 streams are not reported, so they
    /// are polled here.
    final boolean isDue(long now) {
        long when = due;
        return (when != NEVER && now - when >= 0) || isGivenUp();
    }

    final void attend() {
        due = NEVER;
        thread.execute(this::attendHere);
    }

    private void attendHere() {
        if (over.get()) {
            return;
        }
        if (isGivenUp()) {
            abort();
            return;
        }
        if (leaving || stuck || isSilent()) {
            LOG.debug("a listener does not react");
            abort();
            return;
        }
        due = interval == 0 ? NEVER : System.nanoTime() + interval;
        if (current == null) {
            sendUrgently(keepAliveMessage());
        } else {
            stuck = true;
        }
    }

    final void over() {
        if (over.compareAndSet(false, true)) {
            all.remove(this);
            release();
            subscription.end();
            var _ = Exchanges.execute(thread, this::forget);
        }
    }

    /// The connection, and with it this, may be there long after its end.
    private void forget() {
        current = null;
        message = null;
        urgent = null;
    }
}
