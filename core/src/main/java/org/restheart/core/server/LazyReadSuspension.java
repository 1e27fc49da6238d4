package org.restheart.core.server;

import org.xnio.StreamConnection;
import org.xnio.conduits.AbstractStreamSourceConduit;
import org.xnio.conduits.ReadReadyHandler;
import org.xnio.conduits.StreamSourceConduit;

/// Stops watching a connection only when something arrives that nobody wants yet. Undertow suspends reads while it
/// works on a request and resumes them afterwards: two system calls per request, and hardly ever does a client send
/// anything in between.
///
/// Thread-safe as the conduit below it is: reads may be resumed from any thread.
final class LazyReadSuspension extends AbstractStreamSourceConduit<StreamSourceConduit> {
    private volatile boolean wanted;

    private LazyReadSuspension(StreamSourceConduit next) {
        super(next);
    }

    /// To be called before anybody else uses the connection.
    static void on(StreamConnection connection) {
        var source = connection.getSourceChannel();
        source.setConduit(new LazyReadSuspension(source.getConduit()));
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
            if (wanted) { // resumed meanwhile by a thread that still saw them resumed below
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
