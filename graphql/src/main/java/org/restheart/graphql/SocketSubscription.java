package org.restheart.graphql;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.restheart.graphql.GraphqlService.SubscriptionObserver;
import org.restheart.graphql.OperationResult.QueryOutcome;
import org.restheart.graphql.SubscriptionRoot.SourceEvent;
import org.restheart.http.Body;
import org.restheart.http.NamedOperation;
import org.restheart.http.Request;
import org.restheart.http.push.Ending;
import org.restheart.http.push.Frame;
import org.restheart.http.push.Inbound.Memory;

/// One subscription on a [GraphqlSocket], which is observed like a request. Thread-safe.
final class SocketSubscription implements ResponseStream.Receiver {
    private final GraphqlSocket socket;
    private final Request request;
    private final SubscriptionObserver observer;
    private final String id;
    private final Message message;
    private final long begun = System.nanoTime();
    private final LongAdder bytes = new LongAdder();
    private final AtomicBoolean reported = new AtomicBoolean();
    private volatile NamedOperation operation = new NamedOperation("", "");
    private volatile @Nullable ResponseStream stream;

    /// @param request that opened the socket
    /// @param message with which the client began the subscription
    SocketSubscription(
            GraphqlSocket socket, Request request, SubscriptionObserver observer, String id, Message message) {
        this.socket = socket;
        this.request = request;
        this.observer = observer;
        this.id = id;
        this.message = message;
    }

    /// A message, which counts until it is handled or, if it began a subscription, until that ends. Confined to the
    /// thread that handles it, but for [#release()].
    static final class Message implements Body {
        private final byte[] bytes;
        private final Memory memory;
        private boolean kept;

        Message(byte[] bytes, Memory memory) {
            this.bytes = bytes;
            this.memory = memory;
        }

        @Override
        public byte[] bytes() {
            return bytes;
        }

        @Override
        public void hold(long more) {
            memory.hold(more);
        }

        void handled() {
            if (!kept) {
                release();
            }
        }

        /// May be called several times.
        void release() {
            memory.release();
        }
    }

    String id() {
        return id;
    }

    Message message() {
        return message;
    }

    /// The request for the operation.
    Request request() {
        return request.with(NamedOperation.OBSERVER, name -> operation = name);
    }

    /// Keeps the message, since the operation is executed again for each event.
    ResponseStream takes(OperationResult.OpenSubscription open) {
        message.kept = true;
        var results = open.results(this);
        stream = results;
        return results;
    }

    void close() {
        var results = stream;
        if (results != null) {
            results.close();
        }
        message.release();
        report(200);
    }

    /// Reports its end, once.
    void report(int status) {
        if (reported.compareAndSet(false, true)) {
            observer.ended(request, operation, status, bytes.sum(), System.nanoTime() - begun);
        }
    }

    /// Never called: a WebSocket does not ask for the position, for which its protocol has no message.
    @Override
    public void began(Frame position) {}

    @Override
    public void next(SourceEvent event, QueryOutcome result, long since) {
        bytes.add(result.json().length);
        socket.next(id, result, since);
    }

    /// Completes the subscription, so that the client starts it again.
    @Override
    public void ended(Ending why) {
        socket.complete(id);
        socket.end(why);
    }
}
