package org.restheart.core.plugins;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.function.Predicate;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.RawDocuments;
import org.restheart.bson.fields.Location;
import org.restheart.bson.fields.NamedOperators;
import org.restheart.bson.fields.Operators.Place;
import org.restheart.bson.fields.Visibility;
import org.restheart.data.Operation;
import org.restheart.data.Operation.Other;
import org.restheart.data.Operation.Read;
import org.restheart.data.Operation.Structure;
import org.restheart.data.Operation.Write;
import org.restheart.http.Content;
import org.restheart.http.Cors;
import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.RequestContent;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.http.access.DataTarget;
import org.restheart.http.judged.DataWrite;
import org.restheart.http.judged.JudgedRequest.Answer;
import org.restheart.http.parameter.DataParameter;
import org.restheart.plugin.CompletionListener;
import org.restheart.plugin.CompletionListener.Completed;
import org.restheart.plugin.DocumentTransform;
import org.restheart.plugin.OperationInterceptor;
import org.restheart.plugin.RequestInterceptor;
import org.restheart.plugin.Verdict;
import org.restheart.rest.format.DocumentFormat;
import org.restheart.rest.session.OwnTransactions.Attempt;

/// The steps of plugins as filters. Each is on a thread that may block, when its condition has said that
/// the request is among its own.
final class PluginSteps {
    private static final String INTERCEPTOR = "interceptor";

    private PluginSteps() {}

    private static Filter when(PluginCalls calls, Predicate<Request> condition, Filter step) {
        return (request, next) -> calls.<Boolean>call("selector", () -> condition.test(request))
                ? step.filter(request, next)
                : next.handle(request);
    }

    static Filter around(PluginCalls calls, Predicate<Request> condition, RequestInterceptor interceptor) {
        return when(calls, condition, (request, next) -> {
            request.requireThread();
            var rest = new Rest(next);
            try {
                var answer =
                        calls.step(request, INTERCEPTOR, () -> interceptor.around(request, rest), () -> rest.nanos);
                var sent = answer.content();
                boolean isOfRest = rest.answered.contains(sent);
                if (isOfRest || sent instanceof Content.None || sent instanceof Content.Bytes) {
                    rest.abandonOthers(sent);
                }
                return isOfRest ? answer : streaming(calls, answer);
            } catch (RuntimeException failure) {
                rest.abandonOthers(Content.NONE); // nobody else ends them
                throw failure;
            }
        });
    }

    /// The rest of the chain, as the plugin sees it: with the name and the class loader that the thread had
    /// before.
    private static final class Rest implements RequestInterceptor.Next {
        private final Handler next;
        private final String name = Thread.currentThread().getName();
        private final @Nullable ClassLoader loader = Thread.currentThread().getContextClassLoader();

        /// What has to be ended, of every call.
        private final List<Content> answered = new ArrayList<>(1);

        private long nanos;

        Rest(Handler next) {
            this.next = next;
        }

        @Override
        public Response.Ready handle(Request request) {
            long began = System.nanoTime();
            Response.Ready answer;
            try {
                answer = PluginCalls.within(
                        name, loader, () -> next.handle(request.blocking()).settled());
            } finally {
                nanos += System.nanoTime() - began;
            }
            return switch (answer.content()) {
                case Content.None _, Content.Bytes _ -> answer;
                case Content.Streamed streamed -> answer.with(added(streamed.through(ClosedOnce::new)));
                case Content.Push push -> answer.with(added(push));
            };
        }

        private Content added(Content content) {
            answered.add(content);
            return content;
        }

        void abandonOthers(Content sent) {
            answered.stream().filter(content -> !content.equals(sent)).forEach(Content::abandon);
        }
    }

    /// A source that a plugin may have closed before it fails. Confined to one response.
    private static final class ClosedOnce implements Content.Source {
        private final Content.Source source;
        private boolean isClosed;

        ClosedOnce(Content.Source source) {
            this.source = source;
        }

        @Override
        public ByteBuffer next() throws Exception {
            return source.next();
        }

        @Override
        public void close() {
            if (!isClosed) {
                isClosed = true;
                source.close();
            }
        }
    }

    /// A response whose source, if it has one, is a plugin's code.
    private static Response.Ready streaming(PluginCalls calls, Response.Ready answer) {
        return answer.content() instanceof Content.Streamed streamed
                ? answer.with(streamed.through(source -> new CalledSource(calls, source)))
                : answer;
    }

    private record CalledSource(PluginCalls calls, Content.Source source) implements Content.Source {
        private static final String WHAT = "stream";

        @Override
        public ByteBuffer next() {
            return calls.call(WHAT, source::next);
        }

        @Override
        public void close() {
            calls.run(WHAT, source::close);
        }
    }

    static Filter judging(PluginCalls calls, Predicate<Request> condition, OperationInterceptor interceptor) {
        return when(calls, condition, (request, next) -> {
            request.requireThread();
            var target = request.require(DataTarget.KEY);
            var verdict = calls.step(
                    request,
                    INTERCEPTOR,
                    () -> usable(interceptor.judge(request, target), target.operation()),
                    () -> 0);
            return next.handle(
                    switch (verdict) {
                        case Verdict.Allow _ -> request;
                        case Verdict.Refuse(var problem) -> throw problem.raise();
                        case Verdict.Tighten tighter -> tightened(request, tighter);
                        case Verdict.Rewrite(var content) ->
                            request.with(RequestContent.KEY, new RequestContent(() -> content));
                    });
        });
    }

    /// The verdict, unless MongoDB or the gateway would refuse it: clients would be told of what they have not sent.
    private static @Nullable Verdict usable(@Nullable Verdict verdict, Operation operation) {
        switch (verdict) {
            case Verdict.Tighten tighter -> {
                tighter.rows().ifPresent(PluginSteps::requireFilter);
                tighter.merged().ifPresent(PluginSteps::requireProperties);
            }
            case Verdict.Rewrite(var content) -> requireContent(content, operation);
            case Verdict.Allow _, Verdict.Refuse _ -> {}
            case null -> {}
        }
        return verdict;
    }

    private static void requireFilter(BsonDocument rows) {
        NamedOperators.unknown(walk -> walk.filter(rows, Location.of("rows")), _ -> Optional.empty()).stream()
                .filter(unknown -> unknown.place() == Place.QUERY)
                .findFirst()
                .ifPresent(unknown -> {
                    throw new IllegalArgumentException("the verdict has " + unknown);
                });
    }

    private static void requireProperties(BsonDocument merged) {
        if (merged.keySet().stream().anyMatch(name -> name.startsWith("$"))) {
            throw new IllegalArgumentException("the verdict merges operators, not fields: " + merged.keySet());
        }
    }

    private static void requireContent(BsonValue content, Operation operation) {
        if (operation == Write.UPLOAD) {
            throw new IllegalArgumentException("a plugin cannot rewrite the upload of a file");
        }
        boolean isUsable = content instanceof BsonDocument
                || (content instanceof BsonArray elements
                        && (operation == Write.INSERT || operation == Write.UPDATE)
                        && elements.stream()
                                .allMatch(element -> element instanceof BsonDocument part
                                        && (operation == Write.INSERT || isStage(part))));
        if (!isUsable) {
            throw new IllegalArgumentException("content is rewritten to a document; that of an insert also to an array"
                    + " of documents, that of a change of one document also to an array of stages");
        }
    }

    private static boolean isStage(BsonDocument part) {
        return part.size() == 1 && part.getFirstKey().startsWith("$");
    }

    /// With less access than the rules give. Of fields that are merged, those of the rule win.
    private static Request tightened(Request request, Verdict.Tighten tighter) {
        var access = request.caller().grant();
        if (tighter.rows().isPresent()) {
            access = access.withRows(tighter.rows().get());
        }
        if (tighter.merged().isPresent()) {
            var all = new BsonDocument();
            all.putAll(tighter.merged().get());
            access.mergeRequest().ifPresent(all::putAll);
            access = access.withMergeRequest(Optional.of(all));
        }
        if (!tighter.hidden().isEmpty()) {
            access = access.withProjectResponse(
                    Optional.of(Visibility.without(tighter.hidden(), access.projectResponse())));
        }
        return request.with(request.caller().with(access));
    }

    /// Requests of ways out that do not change documents are refused.
    static Filter showing(PluginCalls calls, Predicate<Request> condition, DocumentTransform transform) {
        return when(calls, condition, (request, next) -> switch (request.require(DataTarget.KEY)
                .operation()) {
            case Read.GET, Read.FIND, Read.RUN, Read.AGGREGATE ->
                next.handle(DocumentFormat.showing(
                        request,
                        DocumentFormat.ownedTrees(
                                request.lease(),
                                document -> calls.call(
                                        "transform",
                                        () -> transform.apply(
                                                RawDocuments.toTree(document).asDocument(), request)))));
            case Read.WATCH, Read.CHECK ->
                throw Problem.of(
                                ProblemCode.FORBIDDEN,
                                "a plugin changes the documents of this collection on their way out, which is not done"
                                        + " for change streams and violations")
                        .raise();
            case Read.COUNT, Read.LIST, Read.DESCRIBE -> next.handle(request);
            case Write _, Structure _, Other _ -> next.handle(request);
        });
    }

    static Filter telling(PluginCalls calls, Predicate<Request> condition, ListenerQueue queue) {
        return when(calls, condition, (request, next) -> {
            boolean isQuestion = request.attribute(Answer.KEY)
                    .filter(answer -> answer instanceof Answer.Facts || answer instanceof Answer.Plan)
                    .isPresent();
            var attempt = request.attribute(Attempt.KEY);
            boolean mayBeAborted = attempt.isEmpty() && DataParameter.TRANSACTION.isIn(request.query());
            if (isQuestion || mayBeAborted) {
                return next.handle(request);
            }
            long began = System.nanoTime();
            return next.handle(request).map(response -> {
                if (response.status() < 400) {
                    var what = completed(request, response, Duration.ofNanos(System.nanoTime() - began));
                    attempt.ifPresentOrElse(
                            own -> own.atEnd(() -> {
                                if (own.isCommitted()) {
                                    queue.offer(what);
                                }
                            }),
                            () -> queue.offer(what));
                }
                return response;
            });
        });
    }

    private static CompletionListener.Completed completed(Request request, Response.Ready response, Duration duration) {
        var bytes = switch (response.content()) {
            case Content.None _ -> OptionalLong.of(0);
            case Content.Bytes content -> OptionalLong.of(content.length());
            case Content.Streamed _, Content.Push _ -> OptionalLong.empty();
        };
        return new CompletionListener.Completed(
                request.id(),
                request.method(),
                request.path(),
                request.caller(),
                request.attribute(DataTarget.KEY),
                response.status(),
                response.headers(),
                bytes,
                duration,
                response.said(DataWrite.Report.class));
    }

    /// What waits for one listener: bounded, so that a slow one neither fills memory nor delays answers. A
    /// virtual thread works for it while something waits. Thread-safe.
    static final class ListenerQueue {
        private static final int MOST = 10_000;

        /// In bytes, approximately.
        private static final long MOST_BYTES = 16 << 20;

        private static final long USUAL_BYTES = 500;
        private static final long ID_BYTES = 50;
        static final String WHAT = "listener";

        private final PluginCalls calls;
        private final CompletionListener listener;

        @GuardedBy("this")
        private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();

        @GuardedBy("this")
        private long bytes;

        @GuardedBy("this")
        private @Nullable Thread worker;

        private record Waiting(Completed what, long bytes) {}

        ListenerQueue(PluginCalls calls, CompletionListener listener) {
            this.calls = calls;
            this.listener = listener;
        }

        /// Never blocks for longer than it takes to add it.
        void offer(Completed what) {
            long length = length(what);
            synchronized (this) {
                if (waiting.size() < MOST && bytes + length <= MOST_BYTES) {
                    waiting.add(new Waiting(what, length));
                    bytes += length;
                    if (worker == null) {
                        worker = Thread.ofVirtual().name(calls.thread()).start(this::work);
                    }
                    return;
                }
            }
            calls.meters().dropped(WHAT);
            calls.report(WHAT, new IllegalStateException("it is too slow: what it was to hear of is dropped"));
        }

        private static long length(Completed what) {
            var values = new BsonArray();
            what.report().ifPresent(report -> {
                values.addAll(report.inserted());
                report.upserted().ifPresent(values::add);
                values.addAll(report.errors());
            });
            int location = what.headers().first("Location").map(String::length).orElse(0);
            long bytes = USUAL_BYTES + what.path().raw().length() + location;
            for (var value : values) {
                bytes += ID_BYTES + length(value);
            }
            return bytes;
        }

        private static int length(BsonValue value) {
            return switch (value.getBsonType()) {
                case STRING -> value.asString().getValue().length();
                case OBJECT_ID, INT32, INT64 -> 0;
                default -> RawDocuments.encode(new BsonDocument("", value)).getByteLength();
            };
        }

        private void work() {
            for (var next = next(); next != null; next = next()) {
                var what = next.what;
                calls.run(WHAT, () -> listener.completed(what));
            }
        }

        private synchronized @Nullable Waiting next() {
            var next = waiting.poll();
            if (next == null) {
                worker = null;
            } else {
                bytes -= next.bytes;
            }
            return next;
        }

        synchronized int size() {
            return waiting.size();
        }

        /// The thread that ends when the listener has heard of all; null if it has.
        synchronized @Nullable Thread worker() {
            return worker;
        }

        /// Nobody waits for it any more.
        synchronized void close() {
            waiting.clear();
            bytes = 0;
        }
    }

    /// An endpoint of a plugin. Its requests pass all filters, and begin on virtual threads.
    record PluginService(PluginCalls calls, Service service, String replaces) implements Service {
        private static final String SERVICE = "service";
        private static final String WHAT = "service's description";

        @Override
        public String name() {
            return calls.plugin();
        }

        @Override
        public Response handle(Request request) {
            return calls.step(request, SERVICE, () -> service.handle(request), () -> 0)
                    .map(answer -> streaming(calls, answer))
                    .mapFailure(this::failure);
        }

        private RuntimeException failure(RuntimeException later) {
            var thrown = later instanceof CompletionException && later.getCause() != null ? later.getCause() : later;
            return thrown instanceof CancellationException ? later : calls.failure(SERVICE, thrown);
        }

        @Override
        public Request prepare(Request request) {
            return calls.call(WHAT, () -> service.prepare(request));
        }

        @Override
        public Cors cors(Request request) {
            return calls.call(WHAT, () -> service.cors(request), Cors.DEFAULT);
        }

        @Override
        public ErrorStyle errorStyle() {
            return calls.call(WHAT, service::errorStyle, ErrorStyle.MESSAGE);
        }

        @Override
        public Optional<Response.Ready> errorResponse(Request request, Problem problem) {
            return calls.call(WHAT, () -> service.errorResponse(request, problem), Optional.empty());
        }

        @Override
        public boolean answersHead() {
            return calls.call(WHAT, service::answersHead, false);
        }

        @Override
        public boolean streamsContent(Request request) {
            return calls.call(WHAT, () -> service.streamsContent(request), false);
        }
    }
}
