package org.restheart.security.guard;

import org.restheart.http.Request;
import org.restheart.security.FailedAttempts;
import org.restheart.security.password.BasicCredentials;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Logs failed attempts, never their credentials.
public final class FailedAuthLogger implements FailedAttempts {
    private static final Logger LOG = LoggerFactory.getLogger(FailedAuthLogger.class);
    private static final int MAX_LENGTH = 500;

    @Override
    public void end(Request request, boolean rejected) {
        if (rejected) {
            log("authentication", request);
        }
    }

    @Override
    public void refused(Request request) {
        log("authorization", request);
    }

    private static void log(String what, Request request) {
        var headers = request.headers();
        LOG.warn(
                "failed {}: user {} from {} (X-Forwarded-For {}), {} {}, user agent {}",
                what,
                printable(user(request)),
                request.connection().peerAddress(),
                printable(headers.first("X-Forwarded-For").orElse("-")),
                request.method(),
                printable(request.path().decoded()),
                printable(headers.first("User-Agent").orElse("-")));
    }

    private static String user(Request request) {
        return request.caller()
                .account()
                .map(account -> account.name())
                .or(() -> BasicCredentials.find(request.headers())
                        .flatMap(BasicCredentials::parse)
                        .map(BasicCredentials::name))
                .orElse("-");
    }

    /// The text without control characters, which could forge log lines, truncated.
    public static String printable(String text) {
        return text.substring(0, Math.min(text.length(), MAX_LENGTH)).replaceAll("\\p{Cntrl}", "?");
    }
}
