package org.restheart.core.service;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
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
import org.restheart.http.Words;
import org.restheart.http.access.CallerScope;
import org.restheart.security.SecurityFilter;

/// A request that is sent to a target, and its response. It ends when its credentials do, when it takes longer than
/// configured, and when its thread is interrupted, since the client has gone. Confined to one request.
final class ForwardedRequest {
    /// For a connection that others of the same caller hold.
    private static final long MAX_WAIT_SECONDS = 10;

    private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /// Bytes of a response in memory: what the client has read of the connection, and what is being sent.
    private static final int HELD = 64 << 10;

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
    private final SentContent content = new SentContent();

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
            var received = new ReceivedContent();
            var response = sent(path, fields, received);
            var ready = ready(response, received);
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

    /// Gives the connection back.
    private void end(boolean isConnected) {
        content.stop();
        if (isConnected) {
            targets.connections().release(caller);
        }
    }

    private HttpResponse<Flow.Publisher<List<ByteBuffer>>> sent(String path, Fields fields, ReceivedContent received)
            throws InterruptedException {
        var tried = new ArrayList<ProxyTargets.Target>();
        while (true) {
            var target = targets.next(tried);
            tried.add(target);
            var head = HttpRequest.newBuilder(URI.create(target.url() + path));
            fields.forEach((name, value) -> head.header(name, inAscii(value)));
            head.method(request.method().name(), content());
            var sending = targets.client().sendAsync(head.build(), BodyHandlers.ofPublisher());
            try {
                var response = await(sending);
                response.body().subscribe(received);
                return response;
            } catch (ExecutionException e) {
                if (!targets.isUnreachable(target, Objects.requireNonNullElse(e.getCause(), e))) {
                    throw failure();
                }
            }
        }
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

    private BodyPublisher content() {
        if (request.body().isAbsent()) {
            return BodyPublishers.noBody();
        }
        long length = request.headers()
                .first("Content-Length")
                .map(text -> Long.parseLong(text.strip()))
                .orElse(-1L);
        return length > 0 ? BodyPublishers.fromPublisher(content, length) : BodyPublishers.fromPublisher(content);
    }

    /// The fault of the content, or of the target.
    private RuntimeException failure() {
        var fault = content.failure;
        return fault == null ? targets.unavailable() : fault;
    }

    private <T> T await(CompletableFuture<T> outcome) throws InterruptedException, ExecutionException {
        try {
            while (true) {
                try {
                    return outcome.get(nextCheck(), TimeUnit.NANOSECONDS);
                } catch (TimeoutException _) {
                    requireStanding();
                }
            }
        } finally {
            outcome.cancel(true); // which closes the connection, unless the response has begun
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

    private Ready ready(HttpResponse<?> response, ReceivedContent received) {
        boolean hasContent = response.statusCode() != 204 && response.statusCode() != 304;
        var lengths = Set.copyOf(response.headers().allValues("Content-Length"));
        var codings = response.headers().allValues("Transfer-Encoding");
        boolean isFramed = codings.isEmpty()
                ? lengths.size() <= 1 && lengths.stream().allMatch(length -> length.matches("\\d{1,18}"))
                : lengths.isEmpty() && codings.size() == 1 && codings.getFirst().equalsIgnoreCase("chunked");
        if (hasContent && !isFramed) {
            received.cancel();
            throw targets.unavailable();
        }
        var ofConnection = response.headers().allValues("Connection").stream()
                .flatMap(line -> Stream.of(line.toLowerCase(Locale.ROOT).split(",", -1)))
                .map(String::strip)
                .collect(Collectors.toSet());
        var fields = Fields.NONE;
        for (var field : response.headers().map().entrySet()) {
            var name = field.getKey().toLowerCase(Locale.ROOT);
            if (!NOT_RETURNED.contains(name) && !ofConnection.contains(name)) {
                for (var value : field.getValue()) {
                    fields = fields.plus(field.getKey(), utf8(value));
                }
            }
        }
        if (hasContent && !lengths.isEmpty()) {
            fields = fields.plus("Content-Length", lengths.iterator().next());
        }
        try {
            return Response.status(response.statusCode())
                    .with(fields)
                    .with(new Content.Streamed(received, HELD, request.lease()));
        } catch (ProblemException e) {
            received.cancel();
            throw e;
        }
    }

    /// The content of the request, which a thread of its own reads as fast as the target takes it.
    private final class SentContent implements Flow.Publisher<ByteBuffer>, Flow.Subscription {
        private static final int PIECE = 16 << 10;

        private final Semaphore demand = new Semaphore(0);
        private final Thread reader;
        private volatile Flow.@Nullable Subscriber<? super ByteBuffer> target;

        /// Guarded by this.
        private boolean isStopped;

        private volatile @Nullable ProblemException failure;

        SentContent() {
            reader = Thread.ofVirtual().name("proxy-content").unstarted(() -> CallerScope.run(caller, this::read));
        }

        /// What was read for one target is not there for another.
        @Override
        public synchronized void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
            subscriber.onSubscribe(this);
            if (isStopped || target != null) {
                subscriber.onError(new IOException("the content is sent once"));
            } else {
                target = subscriber;
                reader.start();
            }
        }

        @Override
        public void request(long pieces) {
            demand.release((int) Math.min(pieces, 1_000));
        }

        @Override
        public void cancel() {
            reader.interrupt();
        }

        private void read() {
            var to = Objects.requireNonNull(target);
            try {
                var from = request.body().stream();
                int n = 0;
                while (n >= 0) {
                    demand.acquire();
                    var piece = new byte[PIECE];
                    n = from.read(piece, 0, PIECE);
                    if (n >= 0) {
                        to.onNext(ByteBuffer.wrap(piece, 0, n));
                    }
                }
                to.onComplete();
            } catch (ProblemException e) {
                failure = e;
                to.onError(e);
            } catch (IOException | InterruptedException | RuntimeException e) {
                to.onError(e);
            }
        }

        /// Nothing reads the content from then on.
        void stop() {
            synchronized (this) {
                isStopped = true;
            }
            reader.interrupt();
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
    private final class ReceivedContent implements Content.Source, Flow.Subscriber<List<ByteBuffer>> {
        private static final ByteBuffer END = ByteBuffer.allocate(0);

        private final BlockingQueue<CompletableFuture<List<ByteBuffer>>> arrived = new LinkedBlockingQueue<>();
        private final CompletableFuture<Flow.Subscription> subscription = new CompletableFuture<>();
        private final Queue<ByteBuffer> pieces = new ArrayDeque<>();
        private boolean isEnded;

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            this.subscription.complete(subscription);
            subscription.request(1);
        }

        @Override
        public void onNext(List<ByteBuffer> more) {
            if (more.stream().anyMatch(ByteBuffer::hasRemaining)) {
                arrived.add(CompletableFuture.completedFuture(more));
            } else {
                subscription.join().request(1);
            }
        }

        @Override
        public void onError(Throwable failure) {
            arrived.add(CompletableFuture.failedFuture(failure));
        }

        @Override
        public void onComplete() {
            arrived.add(CompletableFuture.completedFuture(List.of()));
        }

        @Override
        public ByteBuffer next() throws Exception {
            while (pieces.isEmpty() && !isEnded) {
                var more = arrived.poll(nextCheck(), TimeUnit.NANOSECONDS);
                try {
                    if (more == null) {
                        requireStanding();
                    } else {
                        take(more.get());
                    }
                } catch (ProblemException | ExecutionException e) {
                    throw new IOException("a response is broken off", e);
                }
            }
            var next = pieces.poll();
            if (next == null) {
                content.stop(); // before the rest of it is discarded
            }
            return next == null ? END : next;
        }

        private void take(List<ByteBuffer> more) {
            more.stream().filter(ByteBuffer::hasRemaining).forEach(pieces::add);
            isEnded = more.isEmpty();
            if (!isEnded) {
                subscription.join().request(1);
            }
        }

        void cancel() {
            subscription.join().cancel();
        }

        @Override
        public void close() {
            cancel();
            end(true);
        }
    }
}
