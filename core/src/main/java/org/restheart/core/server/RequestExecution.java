package org.restheart.core.server;

import io.undertow.server.ExchangeCompletionListener;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.SameThreadExecutor;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.restheart.core.observation.Observation;
import org.restheart.core.observation.Observation.Note;
import org.restheart.core.observation.Observer;
import org.restheart.core.routing.Router.Route;
import org.restheart.core.tracing.RequestSpan;
import org.restheart.core.tracing.Tracing;
import org.restheart.http.Body;
import org.restheart.http.Content;
import org.restheart.http.ContentCoding;
import org.restheart.http.Fatal;
import org.restheart.http.Fields;
import org.restheart.http.InlineCommand;
import org.restheart.http.Lease;
import org.restheart.http.MemoryBudget;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.RequestStart;
import org.restheart.http.Response;
import org.restheart.http.Response.Ready;
import org.restheart.http.Service.Traffic;
import org.restheart.http.Withdrawable;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.FairShares;
import org.restheart.http.trace.TraceScope;
import org.restheart.http.trace.TraceScope.TraceSpan;
import org.restheart.security.ClientAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.channels.StreamSourceChannel;

/// The processing of one request: receiving it, running it on its I/O thread or on a virtual one, sending the
/// response now or later, observing it. Used by one thread at a time.
final class RequestExecution implements ExchangeCompletionListener, Withdrawable.Waiter, BodyReceiver.Receiver {
    private static final Logger LOG = LoggerFactory.getLogger(RequestExecution.class);

    private final HttpServerExchange http;
    private final Route route;
    private final Parts parts;
    private final Note note;
    private final Admission.Admitted admitted;
    private final BodyLimits.Counter counter;

    /// Owns what the request reads, and its response, until the exchange has ended and no thread works for it.
    private final Lease lease;

    private final long arrived = System.nanoTime();
    private final @Nullable RequestSpan span;
    private Request request;
    private @Nullable ArrivingContent arriving;

    /// If the I/O thread may run a command for the request.
    private @Nullable InlineCommand inline;

    // The following fields are confined to the I/O thread.
    private boolean settled;
    private boolean gone;
    private Fields responseHeaders = Fields.NONE;

    /// Whether nobody waits for the response, as the I/O thread found when it looked last.
    private volatile boolean isGone;

    RequestExecution(
            HttpServerExchange http,
            Route route,
            Request request,
            Note note,
            Admission.Admitted admitted,
            Parts parts) {
        this.http = http;
        this.route = route;
        var traffic = route.binding().service().traffic();
        this.span = parts.tracing().isEmpty() || traffic == Traffic.PROBE
                ? null
                : parts.tracing().get().begin(request, route.binding().uri(), arrived);
        this.note = note;
        this.admitted = admitted;
        this.parts = parts;
        this.lease = parts.memory().open(this::caller, this::isGone);
        this.request = attributed(request, traffic, span).with(lease);
        this.counter = parts.bodies().open(this::caller);
    }

    private static Request attributed(Request request, Traffic traffic, @Nullable RequestSpan span) {
        var attributed = traffic == Traffic.API ? request : request.with(Traffic.KEY, traffic);
        return span == null ? attributed : attributed.with(TraceSpan.KEY, span);
    }

    /// Receives the rest of the request and answers it. Called from the root handler, on the I/O thread.
    void start() {
        SoleConnection.requested(http, arrived);
        http.addExchangeCompleteListener(this);
        if (!http.isRequestComplete() && route.streamsContent(request)) {
            decideFirst(true, new byte[0], null);
        } else {
            BodyReceiver.receive(http, parts.bodies(), counter, this);
        }
    }

    @Override
    public void received(Body sent) {
        var body = decoded(sent, false);
        request = request.with(body);
        if (BodyLimits.isHere(body) && route.startsOnIoThread(request)) {
            answerHere();
        } else {
            run();
        }
    }

    @Override
    public void malformed(String message) {
        send(RootHandler.refusal(Problem.of(ProblemCode.BAD_REQUEST, message)));
    }

    /// Authorization precedes the content: a refused request is answered without waiting for its content.
    @Override
    public void arriving(byte[] begin, @Nullable StreamSourceChannel channel) {
        decideFirst(false, begin, channel);
    }

    private void decideFirst(boolean streamed, byte[] begin, @Nullable StreamSourceChannel channel) {
        var content = new ArrivingContent(http, parts.bodies(), parts.waiting(), this::caller, begin, channel);
        arriving = content;
        request = request.with(decoded(
                new BufferedBody(
                        _ -> content,
                        RequestHead.contentLength(http),
                        content.received(),
                        streamed,
                        parts.bodies(),
                        counter),
                streamed));
        run();
    }

    /// The codings of contents are between client and target then.
    private boolean isForProxy() {
        return route.binding().service().traffic() == Traffic.PROXY;
    }

    private void run() {
        long start = System.nanoTime();
        http.dispatch(parts.threads(), () -> RequestStart.during(start, this::runBlocking));
    }

    @SuppressWarnings("ReferenceEquality") // requests without content share one object
    private Body decoded(Body sent, boolean streamed) {
        boolean isCoded = sent != Body.EMPTY && !isForProxy() && GzipContent.isCoded(request.headers());
        return isCoded ? GzipContent.decoded(sent, request.headers(), streamed, parts.bodies(), counter) : sent;
    }

    private void answerHere() {
        inline = SoleConnection.isSole(http, arrived) ? new InlineCommand() : null;
        boolean deferred = false;
        try {
            var response = inline == null ? handled() : inline.during(this::handled);
            deferred = response instanceof Response.Deferred<?>;
            deliver(response);
        } finally {
            if (!deferred) {
                runInline(); // the response does not depend on it, but others may
            }
        }
    }

    private void runInline() {
        if (inline != null) {
            long began = System.nanoTime();
            if (inline.run()) {
                SoleConnection.commandRan(began);
            }
        }
    }

    private void runBlocking() {
        if (!lease.tryRetain()) {
            return; // the client has gone
        }
        try {
            request = request.blocking();
            failing(() -> deliver(handled()));
        } finally {
            lease.close();
        }
    }

    private Response handled() {
        return span == null || !span.isSampled()
                ? route.chain().handle(request)
                : TraceScope.call(span, () -> route.chain().handle(request));
    }

    private void deliver(Response response) {
        switch (response) {
            case Ready ready -> send(ready);
            case Response.Deferred<?> deferred ->
                // after the root handler's call, if there is one: only then may other threads use the exchange
                http.dispatch(SameThreadExecutor.INSTANCE, () -> await(deferred));
        }
    }

    private void await(Response.Deferred<?> deferred) {
        deferred.awaitedBy(this);
        deferred.whenThere(this::arrived);
        runInline();
    }

    /// On the I/O thread, which also sends the response, so that no other thread uses the exchange.
    @Override
    public void withdrawIfGone(BooleanSupplier withdrawal) {
        var _ = Exchanges.execute(http.getIoThread(), () -> {
            if (!settled && !gone && Exchanges.isClientGone(http)) {
                gone = withdrawal.getAsBoolean();
            }
        });
    }

    /// Whether nobody waits for the response any more. Any thread; tells what was found after the question
    /// before.
    private boolean isGone() {
        if (!Exchanges.execute(http.getIoThread(), () -> isGone = isGone || Exchanges.isNobodyThere(http))) {
            isGone = true;
        }
        return isGone;
    }

    /// Runs on the thread that completes the outcome, often of many requests at once. On the connection's I/O
    /// thread Undertow sends and continues reading with the fewest system calls and without contention.
    private void arrived(Supplier<Ready> answer) {
        if (!Exchanges.execute(http.getIoThread(), () -> settle(answer))) {
            settle(answer);
        }
    }

    private void settle(Supplier<Ready> answer) {
        settled = true;
        if (gone) {
            Exchanges.endClientGone(http);
            return;
        }
        failing(() -> send(timed("encode", answer)));
    }

    private Ready timed(String part, Supplier<Ready> answer) {
        return span == null ? answer.get() : span.timed(part, answer);
    }

    private void send(Ready built) {
        var reserved = lease.tryJoin(built.content().lease())
                ? parts.untaken().reserve(http, this::caller, built)
                : Optional.<Ready>empty();
        if (reserved.isEmpty()) {
            abandon(built.content());
        }
        var fitting = reserved.orElseGet(() -> RootHandler.unavailable(
                switch (built.content()) {
                    case Content.Push _ -> "too many large requests of this client are in progress";
                    default -> "too many responses of this client wait for it";
                }));
        var ready = span == null ? fitting : span.respond(fitting);
        responseHeaders = ready.headers();
        if (leavesContentUnread(ready)) {
            leave(); // while the client sends it
        }
        if (route.binding().service().bypassesFilters() || isForProxy() || !Compression.isWorthwhile(ready)) {
            write(ready);
        } else {
            sendCoded(Compression.varied(ready));
        }
    }

    private void abandon(Content content) {
        var owner = content.lease();
        boolean isOwned = owner.tryRetain(); // until it is gone
        parts.threads().execute(() -> {
            try {
                content.abandon();
            } finally {
                if (isOwned) {
                    owner.close();
                }
            }
        });
    }

    /// Compresses as the client accepts it; on a thread that may take its time unless that is quick.
    private void sendCoded(Ready ready) {
        var coding = ContentCoding.accepted(request.headers());
        if (coding == ContentCoding.IDENTITY) {
            write(ready);
        } else if (Compression.isQuick(coding, ready)) {
            write(Compression.apply(coding, ready));
        } else {
            http.dispatch(
                    parts.threads(),
                    () -> failing(() -> write(timed("compress", () -> Compression.apply(coding, ready)))));
        }
    }

    private void write(Ready ready) {
        if (ready.content() instanceof Content.Push) {
            request = request.with(Traffic.KEY, Traffic.STREAM);
        }
        parts.writer().send(http, ready);
        if (ready.content() instanceof Content.Push) {
            admitted.leave(); // it may stay open for days; a stop waits for it by other means from now on
        }
        parts.untaken().sent(http, ready.content(), this::caller);
    }

    private String caller() {
        return note.caller().orElseGet(this::address);
    }

    private String address() {
        return CallerScope.address(parts.clients().of(request));
    }

    private boolean leavesContentUnread(Ready ready) {
        return !http.isRequestComplete()
                && !(ready.content() instanceof Content.Streamed)
                && !(ready.content() instanceof Content.Push); // whoever pushes may hold the request's content
    }

    /// Ends the exchange if a step fails: no other code catches that, and the client would wait without end.
    private void failing(Runnable step) {
        try {
            step.run();
        } catch (Throwable failure) {
            fail(failure);
        }
    }

    /// Handles failures outside of the error filter.
    private void fail(Throwable failure) {
        Fatal.exitOn(failure);
        boolean stopped = failure instanceof RejectedExecutionException; // by an I/O thread, which has ended
        var refused = failure instanceof ProblemException e ? Optional.of(e.problem()) : Optional.<Problem>empty();
        if (stopped) {
            LOG.debug("request {} took longer than the stop", request.id(), failure);
        } else if (refused.isEmpty()) {
            LOG.error("request {} failed outside the pipeline", request.id(), failure);
        }
        if (http.isResponseStarted()) {
            Exchanges.abort(http);
        } else if (stopped) {
            http.getResponseHeaders().clear();
            http.setPersistent(false);
            parts.writer().send(http, RootHandler.STOPPING);
        } else if (refused.isPresent()) { // such as memory for its content
            http.getResponseHeaders().clear();
            parts.writer().send(http, RootHandler.refusal(refused.get()));
        } else {
            http.setStatusCode(500);
            http.endExchange();
        }
    }

    /// No content is read any more, and the request is not in progress. The client may go on sending: what has arrived,
    /// which counts for nobody now, must not be there as long.
    private void leave() {
        counter.close();
        request = request.with(Body.EMPTY);
        if (arriving != null) {
            arriving.leave();
        }
        admitted.leave();
    }

    @Override
    public void exchangeEvent(HttpServerExchange ended, NextListener next) {
        try {
            leave();
            lease.close();
            arriving = null; // the connection, and with it this, may be there long after the request
            if (span != null) {
                span.end(ended.getStatusCode(), ended.getResponseBytesSent());
            }
            parts.observer()
                    .completed(new Observation(
                            request,
                            request.method().name(),
                            ended.getStatusCode(),
                            responseHeaders,
                            ended.getResponseBytesSent(),
                            System.nanoTime() - arrived,
                            note.account(),
                            note.operation()));
        } finally {
            next.proceed();
        }
    }

    /// The parts that every exchange uses.
    /// @param waiting places of requests that wait for their clients, to send content or to take the response, by
    ///     caller as known then: fewer than there may be requests in flight, so that others are served meanwhile
    /// @param clients determines the address under which a client's content is counted
    record Parts(
            Admission admission,
            BodyLimits bodies,
            FairShares waiting,
            MemoryBudget memory,
            HeadMemory heads,
            UntakenResponses untaken,
            ClientAddress clients,
            ResponseWriter writer,
            Executor threads,
            Observer observer,
            Optional<Tracing> tracing) {}
}
