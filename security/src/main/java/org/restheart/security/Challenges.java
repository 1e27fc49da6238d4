package org.restheart.security;

import java.util.List;
import org.restheart.http.Fields;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;

/// The `401` of requests that need an account.
public final class Challenges {
    private Challenges() {}

    /// With the challenge of every mechanism unless the client does not want any.
    ///
    /// @param rejected whether there were credentials; accounts are not distinguished
    static Problem unauthorized(List<Authenticator> authenticators, Request request, boolean rejected) {
        var fields = Fields.NONE;
        if (areWanted(request)) {
            for (var authenticator : authenticators) {
                var challenge = authenticator.challenge(request);
                if (challenge.isPresent()) {
                    fields = fields.plus("WWW-Authenticate", challenge.get());
                }
            }
        }
        return problem(rejected).with(fields);
    }

    /// With one challenge unless the client does not want any.
    public static Problem unauthorized(Request request, String challenge) {
        var problem = problem(request.headers().has("Authorization"));
        return areWanted(request) ? problem.with("WWW-Authenticate", challenge) : problem;
    }

    private static Problem problem(boolean rejected) {
        return Problem.helpful(
                ProblemCode.AUTHENTICATION_REQUIRED,
                rejected
                        ? "these credentials are not accepted: a wrong name, password or token, or one that has expired"
                        : "this needs an account: send credentials in the header Authorization"
                                + " (with curl: -u NAME:PASSWORD)");
    }

    /// Browsers open a dialog on a challenge; the presence of a header or parameter suppresses it.
    public static boolean areWanted(Request request) {
        return !request.headers().has("No-Auth-Challenge") && !request.query().has("noauthchallenge");
    }
}
