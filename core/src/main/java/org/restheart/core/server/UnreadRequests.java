package org.restheart.core.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.restheart.core.config.ConnectionOptions;
import org.restheart.core.observation.Observation;
import org.restheart.core.observation.Observer;
import org.restheart.http.Fields;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Response;
import org.xnio.conduits.AbstractStreamSinkConduit;
import org.xnio.conduits.StreamSinkConduit;

/// Requests that Undertow refuses by itself, because it cannot parse them or their head is too large: explains
/// the refusal in a body and reports it to the observer. Such a refusal is recognized by the bytes that
/// Undertow writes while no request is in progress. Thread-safe.
record UnreadRequests(RequestReader reader, Observer observer, ConnectionOptions limits) {
    private static final ByteBuffer REFUSAL =
            ByteBuffer.wrap("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII));
    private static final int BAD_REQUEST = 400;

    /// The least bytes of a header field, `a:` with a line end, and of a parameter, `a&`.
    private static final int LEAST_FIELD = 4;

    private static final int LEAST_PARAMETER = 2;

    /// To be called before other code uses the connection.
    void watch(ReceivedBytes received) {
        var sink = received.connection().getSinkChannel();
        sink.setConduit(new Refusals(received, sink.getConduit()));
    }

    /// @param bytes of the head that have been read
    private Problem problem(long bytes) {
        if (bytes > limits.maxHeaderSize()) {
            return problem("the head of the request is larger than connection-options.MAX_HEADER_SIZE, "
                    + limits.maxHeaderSize() + " bytes");
        }
        long fields = LEAST_FIELD * (long) ServerSettings.most(limits.maxHeaders());
        long parameters = LEAST_PARAMETER * (long) ServerSettings.most(limits.maxParameters());
        return problem("the head of the request is not valid HTTP"
                + (bytes < Math.min(fields, parameters)
                        ? ""
                        : ", or exceeds connection-options.MAX_HEADERS, " + limits.maxHeaders()
                                + ", or MAX_PARAMETERS, " + limits.maxParameters() + ", by far"));
    }

    private static Problem problem(String message) {
        return Problem.of(ProblemCode.BAD_REQUEST, message);
    }

    /// Confined to one connection.
    private final class Refusals extends AbstractStreamSinkConduit<StreamSinkConduit> {
        private final ReceivedBytes received;

        /// What is sent instead of Undertow's refusal, as far as it is not sent yet.
        private @Nullable ByteBuffer refusal;

        Refusals(ReceivedBytes received, StreamSinkConduit next) {
            super(next);
            this.received = received;
        }

        @Override
        public int write(ByteBuffer bytes) throws IOException {
            return bytes.remaining() == REFUSAL.capacity() && bytes.equals(REFUSAL) && received.awaitsHead()
                    ? refuse(bytes)
                    : super.write(bytes);
        }

        /// Counts as written what stands for Undertow's bytes, when all of it is sent.
        private int refuse(ByteBuffer original) throws IOException {
            if (refusal == null) {
                refusal = begin();
            }
            super.write(refusal);
            if (refusal.hasRemaining()) {
                return 0;
            }
            int length = original.remaining();
            original.position(original.limit());
            return length;
        }

        private ByteBuffer begin() throws IOException {
            var body = RootHandler.text(problem(received.headBytes())).getBytes(StandardCharsets.UTF_8);
            observer.completed(new Observation(
                    reader.unread(received.connection()),
                    "",
                    BAD_REQUEST,
                    Fields.NONE,
                    body.length,
                    0,
                    Optional.empty(),
                    Optional.empty()));
            received.discard();
            var head = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: " + Response.JSON
                    + "\r\nContent-Length: " + body.length + "\r\n\r\n";
            var response = ByteBuffer.allocate(head.length() + body.length);
            return response.put(head.getBytes(StandardCharsets.US_ASCII))
                    .put(body)
                    .flip();
        }
    }
}
