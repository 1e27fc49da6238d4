package org.restheart.graphql;

import java.util.List;
import org.restheart.graphql.OperationResult.QueryOutcome;
import org.restheart.graphql.SubscriptionRoot.SourceEvent;
import org.restheart.http.MemoryBudget;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.SerialTasks;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.FairShares;
import org.restheart.http.access.FairShares.Patience;
import org.restheart.http.access.FairShares.Policy;
import org.restheart.http.access.FairShares.Want;
import org.restheart.http.push.Ending;
import org.restheart.http.push.Frame;
import org.restheart.http.push.Subscription;
import org.restheart.mongo.find.DocumentSizes.Size;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Maps the events of one subscription's source stream to results (GraphQL, 6.2.3.2), sequentially. Waiting
/// events are in the source's bounded backlog. Thread-safe.
final class ResponseStream {
    private static final Logger LOG = LoggerFactory.getLogger(ResponseStream.class);

    private static final int PLACES = 64;

    /// Limits concurrent executions for events in this process, which do not count as requests in flight: of large
    /// events there are fewer at a time, so that each finds memory.
    private static final FairShares EXECUTIONS = new FairShares(PLACES);

    /// Bytes of events for one place.
    private static final long BYTES = Math.max(1, MemoryBudget.Part.DATA.bytes() / PLACES / Size.COPIES / 2);

    private final Subscription source;
    private final Execution execution;
    private final Receiver receiver;
    private final SerialTasks tasks = new SerialTasks("graphql-subscription");
    private volatile boolean closed;

    /// Executes the operation for one event. May block.
    interface Execution {
        /// The memory of the event and of its result.
        ResultMemory.Share open();

        /// @throws SubscriptionEnded if it cannot be executed any more
        QueryOutcome execute(SourceEvent event, ResultMemory.Share share) throws SubscriptionEnded;
    }

    interface Receiver {
        /// Called before all results with the position at which the stream begins, if that was asked for.
        ///
        /// @param position an event of server-sent events that has an `id` only
        void began(Frame position);

        /// @param since when the event happened; see [org.restheart.http.push.Frame]
        void next(SourceEvent event, QueryOutcome result, long since);

        /// No more results follow. Called once, unless the stream was closed before.
        void ended(Ending why);
    }

    ResponseStream(Subscription source, Execution execution, Receiver receiver) {
        this.source = source;
        this.execution = execution;
        this.receiver = receiver;
    }

    /// Starts to pass on results.
    void start() {
        source.backlog().connect(() -> tasks.execute(this::drain));
    }

    private void drain() {
        while (!closed) {
            var frame = source.backlog().take();
            if (frame == null) {
                source.backlog().ending().ifPresent(this::end);
                return;
            }
            deliver(frame);
        }
    }

    private void deliver(Frame frame) {
        var caller = CallerScope.current();
        long places = Math.max(1, frame.bytes().remaining() / BYTES);
        if (places > PLACES) { // there is never memory for it
            end(Ending.TOO_SLOW);
            return;
        }
        deliver(frame, caller, (int) places);
    }

    private void deliver(Frame frame, String caller, int places) {
        try {
            var _ = EXECUTIONS.take(
                    new Want(List.of(caller), places, Policy.SHARE, 0, places), new Patience(Long.MAX_VALUE));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            end(Ending.FAILED);
            return;
        }
        try (var share = execution.open()) {
            share.lease().await((long) Size.COPIES * frame.bytes().remaining());
            var event = SourceEvent.of(frame);
            if (event.isEmpty()) {
                receiver.began(frame);
            } else {
                var result = execution.execute(event.get(), share);
                if (!closed) {
                    receiver.next(event.get(), result, frame.since());
                }
            }
        } catch (SubscriptionEnded e) {
            end(e.why());
        } catch (ProblemException e) { // such as memory that the caller has used up
            LOG.debug("an event of a subscription was not processed: {}", e.getMessage());
            end(e.problem().code() == ProblemCode.OVERLOADED ? Ending.TOO_SLOW : Ending.FAILED);
        } catch (RuntimeException e) {
            LOG.error("an event of a subscription could not be processed", e);
            end(Ending.FAILED);
        } finally {
            EXECUTIONS.release(caller, places);
        }
    }

    private void end(Ending why) {
        if (!closed) {
            close();
            receiver.ended(why);
        }
    }

    /// Closes the source. Never blocks; may be called several times.
    void close() {
        closed = true;
        source.end();
    }

    /// Why a subscription is not executed for an event, and ends.
    static final class SubscriptionEnded extends Exception {
        private static final long serialVersionUID = 1;

        private final Ending why;

        SubscriptionEnded(Ending why) {
            super(why.reason(), null, false, false);
            this.why = why;
        }

        Ending why() {
            return why;
        }
    }
}
