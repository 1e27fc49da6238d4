package org.restheart.security;

import java.util.List;
import org.restheart.http.AuthorizationHeader;
import org.restheart.http.Fields;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.parameter.DataParameter;

/// The `401` of requests that need an account.
public final class Challenges {
    private static final List<String> KEY_HEADERS = List.of("X-API-Key", "api-key", "apiKey");

    private static final String REJECTED =
            "these credentials are not accepted: a wrong name, password or token, or one that has expired";

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
        return problem(request, rejected, "").with(fields);
    }

    /// With one challenge unless the client does not want any.
    ///
    /// @param otherWay another way to send credentials, to be appended to a sentence; may be empty
    public static Problem unauthorized(Request request, String challenge, String otherWay) {
        var problem = problem(request, AuthorizationHeader.isIn(request.headers()), otherWay);
        return areWanted(request) ? problem.with("WWW-Authenticate", challenge) : problem;
    }

    private static Problem problem(Request request, boolean rejected, String otherWay) {
        return Problem.helpful(ProblemCode.AUTHENTICATION_REQUIRED, rejected ? REJECTED : missing(request, otherWay));
    }

    private static String missing(Request request, String otherWay) {
        return AuthorizationHeader.isIn(request.headers())
                ? "the header Authorization is of no kind that is read here; it begins with Basic, as with curl -u"
                        + " NAME:PASSWORD, or Bearer"
                : "this needs an account: send credentials in the header Authorization (with curl: -u NAME:PASSWORD)"
                        + otherWay + unreadKey(request);
    }

    /// A client that sends an API key where none is read would look for the fault in the key.
    private static String unreadKey(Request request) {
        return KEY_HEADERS.stream()
                .filter(request.headers()::has)
                .findFirst()
                .map(name -> "; " + name + " is not read here: with /apiKeyAuthMechanism/enabled an API key is sent as"
                        + " Authorization: Bearer …")
                .orElse("");
    }

    /// Browsers open a dialog on a challenge; the presence of a header or parameter suppresses it.
    public static boolean areWanted(Request request) {
        return !request.headers().has("No-Auth-Challenge") && !DataParameter.WITHOUT_CHALLENGE.isIn(request.query());
    }
}
