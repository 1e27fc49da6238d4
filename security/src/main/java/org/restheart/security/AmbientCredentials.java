package org.restheart.security;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.restheart.http.Accepted;
import org.restheart.http.AuthorizationHeader;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.WebSocketHandshake;
import org.restheart.http.attribute.Key;
import org.restheart.http.judged.DataWrite;

/// Protects credentials that a browser adds to requests by itself against use by pages of other origins (cross-site
/// request forgery): cookies, and the passwords of HTTP Basic and Digest once their user has entered them. Bearer
/// tokens and API keys are added by scripts that know them, so they need no protection. Another port of the same
/// host is another origin.
///
/// The browser says from where a request comes (`Origin`, `Sec-Fetch-Site`); scripts cannot set these fields.
/// Immutable.
public final class AmbientCredentials {
    /// The rule for the credentials of a request that the client did not send in the field `Authorization`.
    public static final Key<AmbientCredentials> KEY = Key.named("ambient credentials");

    /// Allows everything: for credentials that no browser adds by itself.
    public static final AmbientCredentials NONE = new AmbientCredentials(_ -> true, _ -> true, false, false);

    /// The only types of content that a page may send to other origins without asking (Fetch standard, 2.2.2,
    /// "CORS-safelisted request-header").
    private static final Set<String> UNASKED =
            Set.of("application/x-www-form-urlencoded", "multipart/form-data", "text/plain");

    private final Predicate<String> trusted;
    private final Predicate<Request> exempt;
    private final boolean checksAll;
    private final boolean checksReads;

    /// @param checksAll whether all writes are checked, not only those that browsers send without a preflight
    /// @param checksReads whether reads are checked too
    private AmbientCredentials(
            Predicate<String> trusted, Predicate<Request> exempt, boolean checksAll, boolean checksReads) {
        this.trusted = trusted;
        this.exempt = exempt;
        this.checksAll = checksAll;
        this.checksReads = checksReads;
    }

    /// The rule for a cookie.
    ///
    /// @param trusted origins that may use it, besides this server's own
    /// @param crossSite whether browsers add it to requests of scripts of other sites
    public static AmbientCredentials cookie(Predicate<String> trusted, boolean crossSite) {
        return new AmbientCredentials(trusted, _ -> false, true, crossSite);
    }

    /// The rule for passwords. A browser adds its stored password to a request that needs a preflight only if
    /// the preflight's response allows that to the origin. Otherwise the password was set by the script, so
    /// such requests are not checked.
    ///
    /// @param trusted origins that may use them, besides this server's own
    /// @param exempt requests that are useless to other pages, such as those for a token in a response
    /// they cannot read
    public static AmbientCredentials password(Predicate<String> trusted, Predicate<Request> exempt) {
        return new AmbientCredentials(trusted, exempt, false, false);
    }

    static boolean isPassword(Request sent) {
        return AuthorizationHeader.of(sent.headers())
                .filter(known -> known.has(AuthorizationHeader.BASIC) || known.has(AuthorizationHeader.DIGEST))
                .isPresent();
    }

    /// The request, marked to write nothing if it is a read that a link or an image of another site may have
    /// caused: browsers send no `Origin` with these.
    Request restrained(Request request) {
        if (this == NONE || !request.method().isSafe()) {
            return request;
        }
        boolean suspect = checksAll ? !isOfOwnPage(request) : isForeign(request);
        return suspect ? request.with(DataWrite.FORBIDDEN, true) : request;
    }

    /// @throws org.restheart.http.ProblemException 403 for a request of a page that may not use the
    /// credentials
    void check(Request request) {
        if (refuses(request)) {
            throw Problem.helpful(
                            ProblemCode.FORBIDDEN,
                            "pages of other origins may not do this with credentials that the browser keeps: list the"
                                    + " origin in cors.allowed-origins, or send a token (Authorization: Bearer …), or,"
                                    + " with a password, content of another type than that of forms")
                    .raise();
        }
    }

    private boolean refuses(Request request) {
        if (this == NONE || request.method() == Method.OPTIONS) {
            return false;
        }
        boolean opensSocket = WebSocketHandshake.isAsked(request.headers());
        if (request.method().isSafe() && !opensSocket) {
            return checksReads && origin(request).filter(isOther(request)).isPresent();
        }
        boolean asked = !checksAll && !opensSocket && takesPreflight(request);
        return !asked && !exempt.test(request) && isForeign(request);
    }

    /// Whether browsers send a preflight before a request with this content type and these fields.
    private static boolean takesPreflight(Request request) {
        var headers = request.headers();
        var types = headers.all("Content-Type");
        return request.method() != Method.POST
                || headers.has("X-Requested-With")
                || headers.has("No-Auth-Challenge")
                || (!types.isEmpty() && types.stream().noneMatch(type -> UNASKED.contains(Accepted.essence(type))));
    }

    private boolean isForeign(Request request) {
        if (isOfOwnPage(request)) {
            return false;
        }
        var origin = origin(request);
        return origin.isPresent()
                ? isOther(request).test(origin.get())
                : request.headers().has("Sec-Fetch-Site");
    }

    private static Optional<String> origin(Request request) {
        return request.headers().first("Origin");
    }

    private static boolean isOfOwnPage(Request request) {
        return request.headers()
                .first("Sec-Fetch-Site")
                .filter(site -> site.equals("same-origin") || site.equals("none"))
                .isPresent();
    }

    /// A proxy in front of this server may use another scheme with the client.
    private Predicate<String> isOther(Request request) {
        var own = request.connection().hostAndPort().toLowerCase(Locale.ROOT);
        return origin -> {
            var lower = origin.toLowerCase(Locale.ROOT);
            return !lower.equals("http://" + own) && !lower.equals("https://" + own) && !trusted.test(origin);
        };
    }
}
