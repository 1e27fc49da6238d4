package org.restheart.security;

import java.util.List;
import org.restheart.http.Fields;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// The `401` of requests that need an account.
public final class Challenges {
    private Challenges() {}

    /// Without content, with the challenge of every mechanism unless the client suppresses them.
    static Response unauthorized(List<Authenticator> authenticators, Request request) {
        var fields = Fields.of("Content-Type", Response.JSON);
        if (areWanted(request)) {
            for (var authenticator : authenticators) {
                var challenge = authenticator.challenge(request);
                if (challenge.isPresent()) {
                    fields = fields.plus("WWW-Authenticate", challenge.get());
                }
            }
        }
        return Response.status(401).with(fields);
    }

    /// Without content, with one challenge unless the client suppresses it.
    public static Response.Ready unauthorized(Request request, String challenge) {
        var response = Response.status(401).with("Content-Type", Response.JSON);
        return areWanted(request) ? response.with("WWW-Authenticate", challenge) : response;
    }

    /// Browsers open a dialog on a challenge; the presence of a header or parameter suppresses it.
    public static boolean areWanted(Request request) {
        return !request.headers().has("No-Auth-Challenge") && !request.query().has("noauthchallenge");
    }
}
