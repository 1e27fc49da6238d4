package org.restheart.mcp;

import java.nio.ByteBuffer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.bson.RawBsonDocument;
import org.restheart.data.Executor.Found;
import org.restheart.data.Flow;
import org.restheart.http.Content;
import org.restheart.http.Response;

/// A call for which no thread waits: the thread that sends the response builds it.
final class PendingCall {
    /// Larger documents are converted on the thread that streams the response, so that other requests need not wait.
    private static final int LARGE = 64 << 10;

    private PendingCall() {}

    /// @param ended called when the document is there or withdrawn; must not block
    /// @param gone called when the client has disconnected before, in place of `answer`; must not block
    /// @param answer builds the response from what was found or the failure
    static Response of(
            Flow<Found> read, Runnable ended, Runnable gone, Function<Supplier<Found>, Response.Ready> answer) {
        read.whenThere((_, _) -> ended.run());
        return Response.later(read.whenWithdrawn(gone), found -> {
                    int bytes =
                            found.document().map(RawBsonDocument::getByteLength).orElse(0);
                    return bytes > LARGE
                            ? Response.status(200)
                                    .with(
                                            RpcResponses.TYPE,
                                            new Content.Streamed(
                                                    new Late(() -> answer.apply(() -> found), gone), bytes))
                            : answer.apply(() -> found);
                })
                .recover(failure -> answer.apply(() -> {
                    throw failure instanceof RuntimeException known ? known : new IllegalStateException(failure);
                }));
    }

    /// A response that is built when it is read.
    private static final class Late implements Content.Source {
        private final Supplier<Response.Ready> answer;
        private final Runnable unread;
        private boolean read;

        /// @param unread called in place of `answer`, if it is closed before it is read
        Late(Supplier<Response.Ready> answer, Runnable unread) {
            this.answer = answer;
            this.unread = unread;
        }

        @Override
        public ByteBuffer next() {
            if (read) {
                return ByteBuffer.allocate(0);
            }
            read = true;
            return answer.get().content() instanceof Content.Bytes(var json)
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
