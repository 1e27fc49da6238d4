package org.restheart.core.server;

import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.Headers;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.restheart.core.config.ConnectionOptions;
import org.restheart.core.filter.Pipeline;
import org.restheart.core.observation.Observation;
import org.restheart.core.observation.Observation.Note;
import org.restheart.core.routing.Router;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.http.Response.Ready;
import org.restheart.http.access.CallerScope;

/// The entry point of requests, on I/O threads: checks the method, parses path and query, finds the route.
record RootHandler(
        Router router,
        RequestExecution.Parts parts,
        RequestReader reader,
        Http2Connections http2,
        ConnectionOptions limits)
        implements HttpHandler {
    private static final Ready METHOD_UNKNOWN = Response.status(405)
            .with("Allow", Arrays.stream(Method.values()).map(Method::name).collect(Collectors.joining(", ")));
    private static final Ready OPTIONS_OF_ALL = METHOD_UNKNOWN.withStatus(200);
    private static final Ready NO_RESOURCE =
            refusal(Problem.of(ProblemCode.BAD_REQUEST, "* stands for the whole server, which only OPTIONS concerns"));
    private static final Ready VERSION_UNKNOWN = Response.status(505);
    private static final Ready NOTHING_BOUND = Response.status(502);
    private static final Ready OVERLOADED = unavailable("too many requests at the moment");
    private static final Ready LARGE_HEADS = unavailable("too many large requests of this client are in progress");
    static final Ready STOPPING = unavailable("the server is stopping");

    @Override
    public void handleRequest(HttpServerExchange exchange) {
        if (!http2.admits(exchange)) {
            return;
        }
        if (ReceivedBytes.isVersionUnknown(exchange)) {
            refuseUnread(exchange, VERSION_UNKNOWN);
            return;
        }
        var fields = RequestHead.of(exchange);
        if (fields.contains(Headers.CONNECTION) && new UndertowHeaders(fields).hasToken("Connection", "close")) {
            exchange.setPersistent(false); // RFC 9112, 9.6: also among other tokens, which Undertow overlooks
        }
        var fault = HeadChecks.fault(exchange);
        if (fault.isPresent()) {
            refuseUnread(exchange, refusal(fault.get())); // the end of its content is unknown
            return;
        }
        if (!parts.heads().reserveRequest(exchange, () -> address(exchange))) {
            refuseUnread(exchange, LARGE_HEADS);
            return;
        }
        ContentFraming.check(exchange);
        var method = Method.of(exchange.getRequestMethod().toString());
        if (method.isEmpty()) {
            refuse(exchange, METHOD_UNKNOWN);
            return;
        }
        if (exchange.getRequestURI().equals("*")) { // RFC 9110, 9.3.7
            refuse(exchange, method.get() == Method.OPTIONS ? OPTIONS_OF_ALL : NO_RESOURCE);
            return;
        }
        RequestPath path;
        try {
            path = RequestPath.parse(RequestReader.path(exchange));
        } catch (ProblemException malformed) {
            refuse(exchange, refusal(malformed.problem()));
            return;
        }
        var route = router.find(path);
        if (route.isEmpty()) {
            refuse(exchange, NOTHING_BOUND);
            return;
        }
        var note = new Note();
        var request = read(exchange, method.get(), path, note);
        switch (parts.admission()
                .enter(() -> CallerScope.address(parts.clients().of(request)))) {
            case Admission.Admitted admitted -> {
                Exchanges.onComplete(exchange, admitted::leave); // also if it cannot be started
                new RequestExecution(exchange, route.get(), request, note, admitted, parts).start();
            }
            case Admission.Refused.FULL -> refuse(exchange, OVERLOADED);
            case Admission.Refused.DRAINING -> refuseUnread(exchange, STOPPING);
        }
    }

    /// Does not wait for the content of the request: the connection ends with the response, unless it is HTTP/2.
    private void refuseUnread(HttpServerExchange exchange, Ready refusal) {
        if (exchange.isHttp11() || exchange.isHttp10()) {
            exchange.setPersistent(false);
        }
        refuse(exchange, refusal);
    }

    /// Answers without a service, which is a refusal but for `OPTIONS *`; the observers are notified with what is known
    /// of the request.
    private void refuse(HttpServerExchange exchange, Ready refusal) {
        var arrived = System.nanoTime();
        exchange.addExchangeCompleteListener((ended, next) -> {
            try {
                parts.observer()
                        .completed(new Observation(
                                asSent(ended),
                                ended.getRequestMethod().toString(),
                                ended.getStatusCode(),
                                refusal.headers(),
                                ended.getResponseBytesSent(),
                                System.nanoTime() - arrived,
                                Optional.empty(),
                                Optional.empty()));
            } finally {
                next.proceed();
            }
        });
        parts.writer().send(exchange, refusal);
        parts.untaken().sent(exchange, refusal.content(), () -> address(exchange));
    }

    private Request asSent(HttpServerExchange exchange) {
        return asSent(exchange, query(exchange));
    }

    private Request asSent(HttpServerExchange exchange, Query query) {
        return reader.read(exchange, Method.GET, pathAsSent(exchange), query, new Note());
    }

    private static RequestPath pathAsSent(HttpServerExchange exchange) {
        var raw = RequestReader.path(exchange);
        try {
            return RequestPath.parse(raw);
        } catch (ProblemException _) {
            return new RequestPath(raw, raw, List.of());
        }
    }

    private String address(HttpServerExchange exchange) {
        return CallerScope.address(parts.clients().of(asSent(exchange, Query.NONE)));
    }

    private Query query(HttpServerExchange exchange) {
        try {
            return Query.parse(RequestReader.query(exchange), limits.maxParameters());
        } catch (ProblemException _) {
            return Query.NONE;
        }
    }

    private Request read(HttpServerExchange exchange, Method method, RequestPath path, Note note) {
        try {
            HeadChecks.requireWithin(exchange, limits);
            var query = Query.parse(RequestReader.query(exchange), limits.maxParameters());
            return reader.read(exchange, method, path, query, note);
        } catch (ProblemException malformed) {
            return Pipeline.faulty(reader.read(exchange, method, path, Query.NONE, note), malformed);
        }
    }

    static Ready unavailable(String message) {
        return refusal(Problem.overloaded(message));
    }

    /// Without a route there is no service that determines the error format.
    static Ready refusal(Problem problem) {
        return Response.json(problem.status(), text(problem)).with(problem.headers());
    }

    static String text(Problem problem) {
        return problem.toMessageDocument().toJson();
    }
}
