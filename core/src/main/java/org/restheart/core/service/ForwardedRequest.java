package org.restheart.core.service;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.eclipse.jetty.client.ContentResponse;
import org.eclipse.jetty.client.HttpResponseException;
import org.eclipse.jetty.client.OutputStreamRequestContent;
import org.eclipse.jetty.client.Response.ContentSourceListener;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.io.Content.Chunk;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Content;
import org.restheart.http.Fields;
import org.restheart.http.PercentCoding;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.Response.Ready;
import org.restheart.http.access.CallerScope;
import org.restheart.security.SecurityFilter;
import org.restheart.text.Words;

/// A request that is sent to a target, and its response. It ends when its credentials do, when it takes longer than
/// configured, and when its thread is interrupted, since the client has gone. Confined to one request.
final class ForwardedRequest {
    /// For a connection that others of the same caller hold.
    private static final long MAX_WAIT_SECONDS = 10;

    private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /// Bytes of a response in memory: what the client has read of the connection, and what is being sent.
    private static final int HELD = 64 << 10;

    /// Of connections that the target has closed meanwhile.
    private static final int MOST_REPEATED = 10;

    /// Of one connection (RFC 9110, 7.6.1), or written by this server.
    private static final Set<String> NOT_RETURNED = Words.of("""
        connection keep-alive proxy-authenticate proxy-connection te upgrade content-length transfer-encoding\
        """);

    private static final String PRINTABLE =
            IntStream.rangeClosed(' ', '~').mapToObj(Character::toString).collect(Collectors.joining());

    private static final Problem REVOKED =
            Problem.of(ProblemCode.AUTHENTICATION_REQUIRED, "the credentials have ended");
    private static final Problem TIMED_OUT = Problem.helpful(
            ProblemCode.TARGET_TIMED_OUT, "the server behind this proxy took longer than request-timeout allows");

    private final Request request;
    private final ProxyTargets targets;
    private final String caller = CallerScope.current();
    private final BooleanSupplier standing;
    private final long deadline;
    private final ClientContent content = new ClientContent();

    /// What is sent to the target, and of each attempt before. Guarded by this.
    private final List<SentContent> sentContents = new ArrayList<>();

    private volatile @Nullable ProblemException fault;

    ForwardedRequest(Request request, ProxyTargets targets) {
        this.request = request;
        this.targets = targets;
        this.standing = request.attribute(SecurityFilter.STANDING).orElse(() -> true);
        this.deadline = System.nanoTime()
                + targets.requestTimeout()
                        .map(time -> Math.min(time.toNanos(), Long.MAX_VALUE / 2))
                        .orElse(Long.MAX_VALUE / 2);
    }

    /// Sends the request when its caller may have another connection. Blocks until the response begins.
    ///
    /// @param path with the query
    /// @param fields but those that delimit the content
    Ready send(String path, Fields fields) {
        boolean isBegun = false;
        boolean isConnected = false;
        try {
            isConnected = targets.connections().take(caller, TimeUnit.SECONDS.toNanos(MAX_WAIT_SECONDS));
            if (!isConnected) {
                throw Problem.overloaded("no connection to the server behind this proxy is free for this caller")
                        .raise();
            }
            var ready = ready(sent(path, fields));
            isBegun = true;
            return ready;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new CancellationException("the client has gone");
        } finally {
            if (!isBegun) {
                end(isConnected);
            }
        }
    }

    private void end(boolean isConnected) {
        stopContent();
        if (isConnected) {
            targets.connections().release(caller);
        }
    }

    private ReceivedContent sent(String path, Fields fields) throws InterruptedException {
        var tried = new ArrayList<ProxyTargets.Target>();
        int repeated = 0;
        while (true) {
            var target = targets.next(tried);
            tried.add(target);
            var sent = targets.client()
                    .newRequest(URI.create(target.url() + path))
                    .method(request.method().name())
                    .headers(head -> {
                        fields.forEach((name, _) -> head.remove(name)); // the library's own, such as User-Agent
                        fields.forEach((name, value) -> head.add(name, inAscii(value)));
                    })
                    .idleTimeout(0, TimeUnit.MILLISECONDS)
                    .body(request.body().isAbsent() ? null : newContent());
            var isHeadSent = new AtomicBoolean();
            var isAnswered = new AtomicBoolean();
            sent.onRequestHeaders(_ -> isHeadSent.set(true)).onResponseBegin(_ -> isAnswered.set(true));
            var begun = new CompletableFuture<ReceivedContent>();
            ContentSourceListener listener = (response, source) -> {
                if (!(response instanceof ContentResponse)) { // in whose place an interim response that is broken comes
                    begun.complete(new ReceivedContent(sent, response, source));
                }
            };
            sent.onResponseContentSource(listener)
                    .send(result -> Optional.ofNullable(result.getFailure()).ifPresent(begun::completeExceptionally));
            try {
                return await(begun);
            } catch (ExecutionException e) {
                var failure = Objects.requireNonNullElse(e.getCause(), e);
                if (mayBeRepeated(sent, isHeadSent.get(), isAnswered.get(), failure) && repeated++ < MOST_REPEATED) {
                    tried.remove(target);
                } else if (!targets.isUnreachable(target, failure)) {
                    throw failure();
                }
            } finally {
                if (!begun.isDone() || begun.isCompletedExceptionally()) {
                    var _ = sent.abort(new CancellationException("the request has ended"));
                }
            }
        }
    }

    /// Whether the target has closed a connection that was kept before the request came, or while it came
    /// (RFC 9110, 9.2.2).
    private boolean mayBeRepeated(
            org.eclipse.jetty.client.Request sent, boolean isHeadSent, boolean isAnswered, Throwable failure) {
        return !(failure instanceof HttpResponseException)
                && sent.getConnection() instanceof org.eclipse.jetty.io.Connection connection
                && content.isKept()
                && (!isHeadSent || (!isAnswered && request.method().isIdempotent() && connection.getMessagesIn() > 0));
    }

    private synchronized SentContent newContent() {
        if (!content.isKept()) {
            throw targets.unavailable();
        }
        var next = new SentContent();
        sentContents.add(next);
        return next;
    }

    /// @return whether the whole was sent
    private boolean stopContent() {
        List<SentContent> all;
        synchronized (this) {
            all = List.copyOf(sentContents);
        }
        all.forEach(SentContent::stop);
        return all.isEmpty() || all.getLast().isWhole;
    }

    /// The HTTP client sends nothing else. Characters beyond ASCII are percent-encoded.
    private static String inAscii(String value) {
        return value.chars().allMatch(c -> c >= ' ' && c <= '~')
                ? value
                : PercentCoding.encode(value.replaceAll("\\p{Cntrl}", " "), PRINTABLE);
    }

    /// The value of a field, of which each byte was read as one character.
    static String utf8(String value) {
        return new String(value.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    /// The fault of the content, or of the target.
    private RuntimeException failure() {
        var fault = this.fault;
        return fault == null ? targets.unavailable() : fault;
    }

    private <T> T await(CompletableFuture<T> outcome) throws InterruptedException, ExecutionException {
        while (true) {
            try {
                return outcome.get(nextCheck(), TimeUnit.NANOSECONDS);
            } catch (TimeoutException _) {
                requireStanding();
            }
        }
    }

    private long nextCheck() {
        return Math.clamp(deadline - System.nanoTime(), 0, CHECK_NANOS);
    }

    private void requireStanding() {
        if (System.nanoTime() - deadline >= 0) {
            throw TIMED_OUT.raise();
        }
        if (!standing.getAsBoolean()) {
            throw REVOKED.raise();
        }
    }

    private Ready ready(ReceivedContent received) {
        int status = received.response.getStatus();
        var head = received.response.getHeaders();
        boolean hasContent = status != 204 && status != 304;
        var lengths = Set.copyOf(head.getValuesList("Content-Length"));
        boolean isEmpty = status != 204 || lengths.stream().allMatch("0"::equals);
        if (status < 200 || !isEmpty || (hasContent && !isFramed(lengths, head))) {
            received.cancel();
            throw targets.unavailable();
        }
        var ofConnection = head.getValuesList("Connection").stream()
                .flatMap(line -> Stream.of(line.toLowerCase(Locale.ROOT).split(",", -1)))
                .map(String::strip)
                .collect(Collectors.toSet());
        var fields = Fields.NONE;
        for (var field : head) {
            var name = field.getLowerCaseName();
            if (!NOT_RETURNED.contains(name) && !ofConnection.contains(name)) {
                fields = fields.plus(field.getName(), utf8(Objects.requireNonNullElse(field.getValue(), "")));
            }
        }
        if (hasContent && !lengths.isEmpty()) {
            fields = fields.plus("Content-Length", lengths.iterator().next());
        }
        try {
            return Response.status(status).with(fields).with(new Content.Streamed(received, HELD, request.lease()));
        } catch (ProblemException e) {
            received.cancel();
            throw e;
        }
    }

    private static boolean isFramed(Set<String> lengths, HttpFields head) {
        var codings = head.getValuesList("Transfer-Encoding");
        return codings.isEmpty()
                ? lengths.size() <= 1 && lengths.stream().allMatch(length -> length.matches("\\d{1,18}"))
                : lengths.isEmpty() && codings.size() == 1 && codings.getFirst().equalsIgnoreCase("chunked");
    }

    /// What the client sends, of which a short beginning can be sent again. One thread at a time reads it.
    private final class ClientContent {
        private static final int PIECE = 16 << 10;

        private final ReentrantLock turn = new ReentrantLock();

        /// The last bytes: all of them, if there are no more. Guarded by the turn, like the next fields.
        private byte[] bytes = {};

        private @Nullable InputStream from;
        private boolean isBroken;

        private volatile long received;

        /// Whether nothing has been forgotten yet.
        boolean isKept() {
            return received <= PIECE;
        }

        /// Receives a piece if there is none. Blocks.
        ///
        /// @param sent the bytes before it
        /// @return the number of bytes to send next; -1 at the end
        private int receive(long sent) throws IOException {
            if (sent < received) {
                if (!isKept()) {
                    throw new IOException("the beginning of the content is not there any more");
                }
                return Math.toIntExact(received - sent);
            }
            if (isBroken) {
                throw new IOException("the content has failed before");
            }
            isBroken = true;
            if (from == null) {
                from = request.body().stream();
                bytes = new byte[PIECE];
            }
            int offset = (int) (sent % PIECE);
            int n = from.read(bytes, offset, PIECE - offset);
            received = sent + Math.max(n, 0);
            isBroken = false;
            return n;
        }

        /// Sends the whole of it. Blocks.
        void copyTo(OutputStream to) throws IOException, InterruptedException {
            long sent = 0;
            for (int n = piece(sent); n >= 0; n = piece(sent)) {
                to.write(bytes, (int) (sent % PIECE), n);
                sent += n;
            }
        }

        private int piece(long sent) throws IOException, InterruptedException {
            turn.lockInterruptibly();
            try {
                return receive(sent);
            } finally {
                turn.unlock();
            }
        }
    }

    /// The content of one attempt, which a thread of its own reads as fast as the target takes it.
    private final class SentContent extends OutputStreamRequestContent {
        private final Thread reader =
                Thread.ofVirtual().name("proxy-content").unstarted(() -> CallerScope.run(caller, this::copy));

        /// Guarded by this.
        private boolean isStopped;

        private volatile boolean isWhole;

        @Override
        public @Nullable String getContentType() {
            return null; // but that of the client, if it says one
        }

        @Override
        public long getLength() {
            return request.headers()
                    .first("Content-Length")
                    .map(text -> Long.parseLong(text.strip()))
                    .orElse(-1L);
        }

        /// Called as soon as there is a connection.
        @Override
        public void demand(Runnable whenRead) {
            super.demand(whenRead);
            synchronized (this) {
                if (!isStopped && reader.getState() == Thread.State.NEW) {
                    reader.start();
                }
            }
        }

        private void copy() {
            try {
                var to = getOutputStream();
                content.copyTo(to);
                isWhole = true;
                to.close(); // which a part of the content does not end with
            } catch (ProblemException e) {
                fault = e;
                fail(e);
            } catch (IOException | InterruptedException | RuntimeException e) {
                fail(e);
            }
        }

        /// Nothing reads the content from then on. What is there as a whole is sent.
        void stop() {
            synchronized (this) {
                isStopped = true;
            }
            if (!isWhole) {
                fail(new IOException("the request has ended"));
                reader.interrupt();
            }
            boolean isInterrupted = false;
            while (reader.isAlive()) {
                try {
                    reader.join();
                } catch (InterruptedException _) {
                    isInterrupted = true;
                }
            }
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /// The content of the response. A target may send nothing for as long as it likes.
    private final class ReceivedContent implements Content.Source {
        private final org.eclipse.jetty.client.Request sent;
        private final org.eclipse.jetty.client.Response response;
        private final org.eclipse.jetty.io.Content.Source source;
        private Chunk taken = Chunk.EMPTY;

        private boolean isBegun;

        /// Whether request and response are whole, so that the connection can be kept.
        private boolean isOver;

        ReceivedContent(
                org.eclipse.jetty.client.Request sent,
                org.eclipse.jetty.client.Response response,
                org.eclipse.jetty.io.Content.Source source) {
            this.sent = sent;
            this.response = response;
            this.source = source;
        }

        @Override
        public ByteBuffer next() throws Exception {
            isBegun = true;
            boolean isEnded = taken.isLast();
            release();
            while (!isEnded && !taken.hasRemaining()) {
                isEnded = take();
            }
            if (!taken.hasRemaining()) {
                isOver = stopContent(); // before the rest of it is discarded
            }
            return taken.getByteBuffer();
        }

        private boolean take() throws InterruptedException, IOException {
            var chunk = source.read();
            if (chunk == null) {
                var arrival = new CompletableFuture<Boolean>();
                source.demand(() -> arrival.complete(true));
                try {
                    await(arrival);
                } catch (ProblemException | ExecutionException e) {
                    throw new IOException("a response is broken off", e);
                }
                return false;
            }
            if (Chunk.isFailure(chunk)) {
                throw new IOException("a response is broken off", chunk.getFailure());
            }
            taken = chunk;
            return chunk.isLast();
        }

        private void release() {
            taken.release();
            taken = Chunk.EMPTY;
        }

        void cancel() {
            var _ = sent.abort(new CancellationException("the client has gone"));
        }

        @Override
        public void close() {
            release();
            if (!isOver && (isBegun || !endsHere())) {
                cancel();
            }
            end(true);
        }

        /// Whether nothing follows the head, as in a response to `HEAD`.
        private boolean endsHere() {
            var chunk = source.read();
            boolean ends = chunk != null && chunk.isLast() && !chunk.hasRemaining() && !Chunk.isFailure(chunk);
            if (chunk != null) {
                chunk.release();
            }
            return ends && stopContent();
        }
    }
}
