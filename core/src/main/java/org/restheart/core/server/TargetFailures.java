package org.restheart.core.server;

import io.undertow.io.IoCallback;
import io.undertow.server.DefaultResponseListener;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.Headers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.restheart.core.config.CoreConfig.ErrorBodies;
import org.restheart.core.config.ProxyConfig;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Response;

/// Gives the responses of requests that got none from a target of a proxy their body and `Retry-After`. Undertow ends
/// these with a status alone. Immutable.
record TargetFailures(ErrorBodies bodies, String retryAfter) implements DefaultResponseListener {
    private static final Problem TIMED_OUT = Problem.helpful(
            ProblemCode.TARGET_TIMED_OUT, "the server behind this proxy took longer than request-timeout allows");
    private static final Problem UNAVAILABLE =
            Problem.helpful(ProblemCode.TARGET_UNAVAILABLE, "no server behind this proxy can be reached at the moment");
    private static final Problem NO_CONNECTION = Problem.helpful(
            ProblemCode.OVERLOADED, "no connection to the server behind this proxy is free for this caller");

    static TargetFailures of(ProxyConfig config, ErrorBodies bodies) {
        return new TargetFailures(bodies, Long.toString(nextTry(config).toSeconds()));
    }

    /// When targets that are left out are tried again.
    private static Duration nextTry(ProxyConfig config) {
        var retry = config.healthCheck()
                .map(ProxyConfig.HealthCheck::interval)
                .filter(interval -> interval.compareTo(config.problemServerRetry()) < 0)
                .orElse(config.problemServerRetry());
        return retry.isPositive() ? retry : Duration.ofSeconds(1);
    }

    @Override
    public boolean handleDefaultResponse(HttpServerExchange exchange) {
        if (!exchange.isResponseChannelAvailable()) { // a target's response has begun
            return false;
        }
        var content = exchange.getAttachment(ForwardedContent.FAILURE);
        if (content != null) {
            exchange.setStatusCode(content.status());
            return explain(exchange, content);
        }
        if (Forwarding.isAbandoned(exchange)) {
            Exchanges.markClientGone(exchange);
            return false;
        }
        return switch (exchange.getStatusCode()) {
            case 503 -> {
                exchange.getResponseHeaders().put(Headers.RETRY_AFTER, retryAfter);
                yield explain(exchange, UNAVAILABLE);
            }
            case 504 -> explain(exchange, TIMED_OUT);
            default -> false;
        };
    }

    /// Ends the exchange of a request that got no connection to a target.
    void refuseConnection(HttpServerExchange exchange) {
        exchange.getResponseHeaders().put(Headers.RETRY_AFTER, "1");
        refuse(exchange, NO_CONNECTION);
    }

    /// Ends the exchange of a request with more content than targets get.
    ///
    /// @param max in bytes
    void refuseContent(HttpServerExchange exchange, long max) {
        refuse(exchange, tooMuch(max));
    }

    static Problem tooMuch(long max) {
        return Problem.helpful(
                ProblemCode.CONTENT_TOO_LARGE,
                "the content is larger than core.max-streamed-content, " + max + " bytes");
    }

    private void refuse(HttpServerExchange exchange, Problem problem) {
        exchange.setStatusCode(problem.status());
        exchange.setPersistent(false);
        if (!explain(exchange, problem)) {
            exchange.endExchange();
        }
    }

    /// Sends the problem, unless responses without bodies are configured.
    private boolean explain(HttpServerExchange exchange, Problem problem) {
        if (!bodies.include(problem)) {
            return false;
        }
        if (!exchange.isRequestComplete()) {
            exchange.setPersistent(false);
        }
        var body = RootHandler.text(problem).getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, Response.JSON);
        exchange.setResponseContentLength(body.length);
        exchange.getResponseSender().send(ByteBuffer.wrap(body), IoCallback.END_EXCHANGE);
        return true;
    }
}
