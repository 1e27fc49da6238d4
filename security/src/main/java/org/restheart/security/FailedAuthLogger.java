package org.restheart.security;

import org.restheart.http.AuthorizationHeader;
import org.restheart.http.AuthorizationHeader.BasicCredentials;
import org.restheart.http.Request;
import org.restheart.http.SecretValues;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Logs failed attempts, never their credentials.
///
/// @param refusals whether requests that permissions refuse are logged, too
public record FailedAuthLogger(boolean refusals) implements FailedAttempts {
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
        if (refusals) {
            log("authorization", request);
        }
    }

    private static void log(String what, Request request) {
        LOG.warn(
                "failed {}: user {} from {}, {} {}, user agent {}",
                what,
                printable(user(request)),
                client(request),
                request.method(),
                printable(request.path().decoded()),
                printable(request.headers().first("User-Agent").orElse("-")));
    }

    private static String user(Request request) {
        return request.caller()
                .account()
                .map(account -> account.name())
                .or(() -> AuthorizationHeader.ofBasic(request.headers())
                        .flatMap(AuthorizationHeader::basicCredentials)
                        .map(BasicCredentials::name))
                .orElse("-");
    }

    /// The addresses of the client, as a proxy says and as they are.
    public static String client(Request request) {
        return request.connection().peerAddress() + " (X-Forwarded-For "
                + printable(request.headers().first("X-Forwarded-For").orElse("-")) + ")";
    }

    /// The text without control characters, which could forge log lines, truncated; masked if it contains an API key.
    public static String printable(String sent) {
        var text = SecretValues.masked(sent);
        return text.substring(0, Math.min(text.length(), MAX_LENGTH)).replaceAll("\\p{Cntrl}", "?");
    }
}
