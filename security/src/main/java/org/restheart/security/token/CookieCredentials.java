package org.restheart.security.token;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Method;
import org.restheart.http.Request;
import org.restheart.http.WebSocketHandshake;
import org.restheart.http.access.Account;
import org.restheart.http.attribute.Key;
import org.restheart.http.judged.DataWrite;
import org.restheart.security.Vetoer;
import org.restheart.security.guard.OriginPattern;
import org.restheart.security.predicate.Cookies;

/// Takes the credentials from a cookie when a request has none of its own. Since browsers send cookies by
/// themselves, other origins could make them act, also those of other ports, which are of the same site: a request
/// that may change something or opens a WebSocket is refused if it comes from another origin, and so is any that reads
/// where browsers send the cookie across sites. A `GET` writes only if the browser says that it comes from a page of
/// this origin or from its user: a link or an image of another site sends no `Origin`.
public final class CookieCredentials implements Vetoer {
    private static final Key<Boolean> FROM_COOKIE = Key.named("credentials from a cookie");

    private final String cookie;
    private final boolean checksOrigin;
    private final boolean crossSite;
    private final List<OriginPattern> origins;

    /// @param checksOrigin false if no pages of other sites are open in the same browser
    /// @param crossSite whether pages of other sites may get browsers to send it with requests whose answers
    ///     they read
    /// @param origins that may act on behalf of the user, besides this server's own
    public CookieCredentials(String cookie, boolean checksOrigin, boolean crossSite, List<OriginPattern> origins) {
        this.cookie = cookie;
        this.checksOrigin = checksOrigin;
        this.crossSite = crossSite;
        this.origins = List.copyOf(origins);
    }

    /// The request with the cookie's credentials, if it has no others.
    public Request apply(Request request) {
        if (request.headers().has("Authorization")) {
            return request;
        }
        return Cookies.first(request.headers(), cookie)
                .filter(value -> value.startsWith("Bearer_") || value.startsWith("Basic_"))
                .map(value -> authorized(request, value.replaceFirst("_", " ")))
                .orElse(request);
    }

    private Request authorized(Request request, String credentials) {
        var authorized = request.with(AddedField.to(request.headers(), "Authorization", credentials))
                .with(FROM_COOKIE, true);
        return checksOrigin && request.method().isSafe() && !isAskedByOwnPage(request)
                ? authorized.with(DataWrite.FORBIDDEN, true)
                : authorized;
    }

    private static boolean isAskedByOwnPage(Request request) {
        return request.headers()
                .first("Sec-Fetch-Site")
                .filter(site -> site.equals("same-origin") || site.equals("none"))
                .isPresent();
    }

    @Override
    public boolean vetoes(Request request, @Nullable Account account) {
        if (!checksOrigin
                || request.attribute(FROM_COOKIE).isEmpty()
                || request.method() == Method.OPTIONS
                || (request.method().isSafe() && !crossSite && !WebSocketHandshake.isAsked(request.headers()))) {
            return false;
        }
        return request.headers()
                .first("Origin")
                .filter(origin ->
                        !isOwn(request, origin) && origins.stream().noneMatch(known -> known.matchesOrigin(origin)))
                .isPresent();
    }

    /// A proxy in front of this server may speak another scheme with the client.
    private static boolean isOwn(Request request, String origin) {
        var lower = origin.toLowerCase(Locale.ROOT);
        var own = request.connection().hostAndPort().toLowerCase(Locale.ROOT);
        return lower.equals("http://" + own) || lower.equals("https://" + own);
    }
}
