package org.restheart.mcp;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.bson.RawBsonDocument;
import org.restheart.http.Content;
import org.restheart.http.Lease;
import org.restheart.http.Response;
import org.restheart.http.Response.Withdrawable;

/// A call for which no thread waits: the thread that sends the response builds it. Thread-safe.
final class PendingCall extends CompletableFuture<Supplier<Response.Ready>> implements Withdrawable {
    /// Larger documents are converted on the thread that streams the response, so that other requests need not wait.
    private static final int LARGE = 64 << 10;

    private final Response.Deferred<?> found;
    private final Lease lease;
    private final Runnable gone;
    private final AtomicBoolean isGone = new AtomicBoolean();

    private PendingCall(Response.Deferred<?> found, Lease lease, Runnable gone) {
        this.found = found;
        this.lease = lease;
        this.gone = gone;
    }

    /// @param found what is waited for
    /// @param lease owns it
    /// @param ended called when that is there or withdrawn; must not block
    /// @param gone called when the client has disconnected before, in place of `answer`; must not block
    /// @param answer builds the response from what was found or the failure
    static Response of(
            Response.Deferred<?> found,
            Lease lease,
            Runnable ended,
            Runnable gone,
            Function<Supplier<Response.Ready>, Response.Ready> answer) {
        var pending = new PendingCall(found, lease, gone);
        found.whenThere(outcome -> {
            ended.run();
            pending.complete(outcome);
        });
        return Response.later(pending, outcome -> pending.answered(outcome, answer));
    }

    private Response.Ready answered(
            Supplier<Response.Ready> outcome, Function<Supplier<Response.Ready>, Response.Ready> answer) {
        Response.Ready found;
        try {
            found = outcome.get();
        } catch (RuntimeException failure) {
            return answer.apply(() -> {
                throw failure;
            });
        }
        int bytes = found.said(RawBsonDocument.class)
                .map(RawBsonDocument::getByteLength)
                .orElse(0);
        return bytes > LARGE
                ? Response.status(200)
                        .with(
                                RpcResponses.TYPE,
                                new Content.Streamed(new Late(found, answer, this::gone), bytes, lease))
                : answer.apply(() -> found);
    }

    @Override
    public void awaitedBy(Waiter waiter) {
        found.awaitedBy(withdrawal -> waiter.withdrawIfGone(() -> {
            boolean withdrawn = withdrawal.getAsBoolean();
            if (withdrawn) {
                gone();
            }
            return withdrawn;
        }));
    }

    private void gone() {
        if (!isGone.getAndSet(true)) {
            gone.run();
        }
    }

    /// A response that is built when it is read.
    private static final class Late implements Content.Source {
        private final Response.Ready found;
        private final Function<Supplier<Response.Ready>, Response.Ready> answer;
        private final Runnable unread;
        private boolean read;

        /// @param unread called in place of `answer`, if it is closed before it is read
        Late(Response.Ready found, Function<Supplier<Response.Ready>, Response.Ready> answer, Runnable unread) {
            this.found = found;
            this.answer = answer;
            this.unread = unread;
        }

        @Override
        public ByteBuffer next() {
            if (read) {
                return ByteBuffer.allocate(0);
            }
            read = true;
            return answer.apply(() -> found).content() instanceof Content.Bytes(var json, var _)
                    ? json.duplicate()
                    : ByteBuffer.allocate(0);
        }

        @Override
        public void close() {
            if (!read) {
                unread.run();
            }
        }
    }
}
