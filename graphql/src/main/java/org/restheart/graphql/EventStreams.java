package org.restheart.graphql;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReference;
import org.restheart.graphql.GraphqlService.PushBounds;
import org.restheart.graphql.OperationResult.QueryOutcome;
import org.restheart.graphql.SubscriptionRoot.SourceEvent;
import org.restheart.http.Accepted;
import org.restheart.http.Content;
import org.restheart.http.EventStream;
import org.restheart.http.Lease;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.push.Backlog;
import org.restheart.http.push.Ending;
import org.restheart.http.push.Frame;
import org.restheart.http.push.Subscription;
import org.restheart.http.push.Transport;

/// Server-sent events of one operation: the protocol graphql-sse in its mode of distinct connections. Events of
/// subscriptions have ids; a client that sends one as `Last-Event-ID` resumes after it. Thread-safe.
final class EventStreams {
    private static final String MEDIA_TYPE = "text/event-stream; charset=UTF-8";

    private EventStreams() {}

    /// Whether the client accepts events.
    static boolean areAccepted(Request request) {
        return EventStream.isAccepted(request.headers());
    }

    /// Whether the client accepts events only, and no other format of results.
    static boolean areRequired(Request request) {
        var accepted = Accepted.of(request.headers());
        return areAccepted(request)
                && accepted.weight("application/json") == 0
                && accepted.weight("application/graphql-response+json") == 0;
    }

    /// One result.
    static Response.Ready complete(QueryOutcome outcome, Lease lease) {
        var next = Frame.event("", "next", ByteBuffer.wrap(outcome.json()), 0).bytes();
        var end = Frame.event("", "complete", ByteBuffer.allocate(0), 0).bytes();
        var both = ByteBuffer.allocate(next.remaining() + end.remaining())
                .put(next)
                .put(end);
        return EventStream.head().with(MEDIA_TYPE, new Content.Bytes(both.flip(), lease));
    }

    /// The results of a subscription. No message `complete` is sent: the subscription ends with its connection,
    /// and a client that reconnects resumes it.
    ///
    /// @param request to which they are the response, whose rights to the app end them too
    static Response.Ready results(OperationResult.OpenSubscription subscription, PushBounds bounds, Request request) {
        var backlog = bounds.backlog();
        var results = new AtomicReference<ResponseStream>();
        var stream = subscription.results(new ResponseStream.Receiver() {
            @Override
            public void began(Frame position) {
                offer(position);
            }

            @Override
            public void next(SourceEvent event, QueryOutcome result, long since) {
                offer(Frame.event(event.token(), "next", ByteBuffer.wrap(result.json()), since));
            }

            private void offer(Frame frame) {
                if (backlog.offer(frame) != Backlog.Offer.TAKEN && results.get() != null) {
                    results.get().close();
                }
            }

            @Override
            public void ended(Ending why) {
                backlog.end(why);
            }
        });
        results.set(stream);
        stream.start();
        var forget = bounds.authorizations().watch(backlog, request);
        return EventStream.head()
                .with(
                        MEDIA_TYPE,
                        new Content.Push(new Subscription(
                                Transport.SSE,
                                backlog,
                                subscription.source().keepAlive(),
                                subscription.source().onSent(),
                                () -> {
                                    forget.run();
                                    stream.close();
                                })));
    }
}
