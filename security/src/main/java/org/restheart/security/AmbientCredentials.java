package org.restheart.security;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.WebSocketHandshake;
import org.restheart.http.attribute.Key;
import org.restheart.http.judged.DataWrite;

/// What pages of other origins may do with credentials that a browser sends by itself: cookies, and the passwords of
/// HTTP Basic and Digest once their user has typed them in. Other ports of a host are other origins of the same site.
/// Bearer tokens and API keys are sent by those who know them, and are no concern here.
///
/// The browser says from where a request comes (`Origin`, `Sec-Fetch-Site`); scripts cannot set these fields.
/// Immutable.
public final class AmbientCredentials {
    /// The rule for the credentials of a request, where they are not in the field `Authorization` that was sent.
    public static final Key<AmbientCredentials> KEY = Key.named("ambient credentials");

    /// For credentials that no browser sends by itself.
    public static final AmbientCredentials NONE =
            new AmbientCredentials(_ -> true, _ -> true, new Strictness(false, false));

    /// The only types of content that a page may send to other origins without asking (Fetch standard, 2.2.2,
    /// "CORS-safelisted request-header").
    private static final Set<String> UNASKED =
            Set.of("application/x-www-form-urlencoded", "multipart/form-data", "text/plain");

    private final Predicate<String> trusted;
    private final Predicate<Request> exempt;
    private final Strictness strictness;

    /// @param all whether every change is checked, not only those that browsers send without a preflight
    /// @param reads whether reads are checked too
    private record Strictness(boolean all, boolean reads) {}

    private AmbientCredentials(Predicate<String> trusted, Predicate<Request> exempt, Strictness strictness) {
        this.trusted = trusted;
        this.exempt = exempt;
        this.strictness = strictness;
    }

    /// For a cookie.
    ///
    /// @param trusted origins that may act with it, besides this server's own
    /// @param crossSite whether browsers send it with requests of other sites whose answers these read
    public static AmbientCredentials cookie(Predicate<String> trusted, boolean crossSite) {
        return new AmbientCredentials(trusted, _ -> false, new Strictness(true, crossSite));
    }

    /// For passwords. A request that takes a preflight is not sent with those that the browser keeps, unless the answer
    /// to the preflight allows them to the origin; so its credentials are the script's own.
    ///
    /// @param trusted origins that may act with them, besides this server's own
    /// @param exempt requests from which other pages have nothing, such as those for a token that they cannot read
    public static AmbientCredentials password(Predicate<String> trusted, Predicate<Request> exempt) {
        return new AmbientCredentials(trusted, exempt, new Strictness(false, false));
    }

    static boolean isPassword(Request sent) {
        return sent.headers()
                .first("Authorization")
                .filter(field -> isOfScheme(field, "Basic ") || isOfScheme(field, "Digest "))
                .isPresent();
    }

    private static boolean isOfScheme(String field, String scheme) {
        return field.regionMatches(true, 0, scheme, 0, scheme.length());
    }

    /// The request, which writes nothing if it is a read that a link or a picture of another site may have
    /// caused: these send no `Origin`.
    Request restrained(Request request) {
        if (this == NONE || !request.method().isSafe()) {
            return request;
        }
        boolean suspect = strictness.all() ? !isOfOwnPage(request) : isForeign(request);
        return suspect ? request.with(DataWrite.FORBIDDEN, true) : request;
    }

    /// @throws org.restheart.http.ProblemException 403 for a request that other pages may not make
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
            return strictness.reads()
                    && origin(request).filter(isOther(request)).isPresent();
        }
        boolean asked = !strictness.all() && !opensSocket && takesPreflight(request);
        return !asked && !exempt.test(request) && isForeign(request);
    }

    /// Without content type and these two fields, a `POST` is sent at once.
    private static boolean takesPreflight(Request request) {
        var headers = request.headers();
        var types = headers.all("Content-Type");
        return request.method() != Method.POST
                || headers.has("X-Requested-With")
                || headers.has("No-Auth-Challenge")
                || (!types.isEmpty() && types.stream().noneMatch(type -> UNASKED.contains(essence(type))));
    }

    private static String essence(String type) {
        int end = type.indexOf(';');
        return (end < 0 ? type : type.substring(0, end)).strip().toLowerCase(Locale.ROOT);
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

    /// A proxy in front of this server may speak another scheme with the client.
    private Predicate<String> isOther(Request request) {
        var own = request.connection().hostAndPort().toLowerCase(Locale.ROOT);
        return origin -> {
            var lower = origin.toLowerCase(Locale.ROOT);
            return !lower.equals("http://" + own) && !lower.equals("https://" + own) && !trusted.test(origin);
        };
    }
}
