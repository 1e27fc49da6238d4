package org.restheart.core.plugins;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.Predicate;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.RawDocuments;
import org.restheart.bson.fields.Visibility;
import org.restheart.data.Operation.Other;
import org.restheart.data.Operation.Read;
import org.restheart.data.Operation.Structure;
import org.restheart.data.Operation.Write;
import org.restheart.http.Content;
import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.RequestContent;
import org.restheart.http.Response;
import org.restheart.http.access.DataTarget;
import org.restheart.http.judged.DataWrite;
import org.restheart.http.judged.JudgedRequest.Answer;
import org.restheart.http.parameter.DataParameter;
import org.restheart.plugin.CompletionListener;
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
                return calls.call(INTERCEPTOR, () -> interceptor.around(request, rest), () -> rest.nanos);
            } catch (RuntimeException failure) {
                rest.answered.abandon(); // nobody else ends it
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
        private Content answered = Content.NONE;
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
            answered = answer.content() instanceof Content.Streamed streamed
                    ? streamed.through(ClosedOnce::new)
                    : answer.content();
            return answer.with(answered);
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

    static Filter judging(PluginCalls calls, Predicate<Request> condition, OperationInterceptor interceptor) {
        return when(calls, condition, (request, next) -> {
            request.requireThread();
            var target = request.require(DataTarget.KEY);
            var verdict = calls.call(INTERCEPTOR, () -> interceptor.judge(request, target));
            return next.handle(
                    switch (verdict) {
                        case Verdict.Allow _ -> request;
                        case Verdict.Refuse(var problem) -> throw problem.raise();
                        case Verdict.Tighten tighter -> tightened(request, tighter);
                        case Verdict.Rewrite(var content) -> {
                            if (target.operation() == Write.UPLOAD) {
                                throw new IllegalStateException("a plugin cannot rewrite the upload of a file");
                            }
                            yield request.with(RequestContent.KEY, new RequestContent(() -> content));
                        }
                    });
        });
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
            return next.handle(request).map(response -> {
                if (response.status() < 400) {
                    var what = completed(request, response);
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

    private static CompletionListener.Completed completed(Request request, Response.Ready response) {
        return new CompletionListener.Completed(
                request.id(),
                request.method(),
                request.path(),
                request.caller(),
                request.attribute(DataTarget.KEY),
                response.status(),
                response.headers(),
                response.said(DataWrite.Report.class));
    }
}
