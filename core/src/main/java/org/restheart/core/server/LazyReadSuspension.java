package org.restheart.core.server;

import org.xnio.StreamConnection;
import org.xnio.conduits.AbstractStreamSourceConduit;
import org.xnio.conduits.ReadReadyHandler;
import org.xnio.conduits.StreamSourceConduit;

/// Suspends reads of a connection only when bytes arrive in the meantime. Undertow suspends reads while it processes
/// a request and resumes them afterwards: two system calls per request, although clients rarely send anything in
/// between.
///
/// Thread-safe as the conduit below it is: reads may be resumed from any thread.
final class LazyReadSuspension extends AbstractStreamSourceConduit<StreamSourceConduit> {
    private volatile boolean wanted;

    private LazyReadSuspension(StreamSourceConduit next) {
        super(next);
    }

    /// Called before any other use of the connection.
    static void on(StreamConnection connection) {
        var source = connection.getSourceChannel();
        var lazy = new LazyReadSuspension(source.getConduit());
        source.setConduit(lazy);
        // the channel has set its handler below, where every suspension would be without effect
        lazy.setReadReadyHandler(new ReadReadyHandler.ChannelListenerHandler<>(source));
    }

    @Override
    public void suspendReads() {
        wanted = false;
    }

    @Override
    public void resumeReads() {
        wanted = true;
        if (!next.isReadResumed()) {
            next.resumeReads();
        }
    }

    @Override
    public void wakeupReads() {
        wanted = true;
        next.wakeupReads();
    }

    @Override
    public boolean isReadResumed() {
        return wanted;
    }

    @Override
    public void setReadReadyHandler(ReadReadyHandler handler) {
        next.setReadReadyHandler(new Gate(handler));
    }

    private final class Gate implements ReadReadyHandler {
        private final ReadReadyHandler handler;

        Gate(ReadReadyHandler handler) {
            this.handler = handler;
        }

        @Override
        public void readReady() {
            if (wanted) {
                handler.readReady();
                return;
            }
            next.suspendReads();
            if (wanted) { // resumed in the meantime by a thread that still saw them resumed below
                next.resumeReads();
            }
        }

        @Override
        public void forceTermination() {
            handler.forceTermination();
        }

        @Override
        public void terminated() {
            handler.terminated();
        }
    }
}
