package org.restheart.security.token;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Method;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.http.attribute.Key;
import org.restheart.security.Vetoer;
import org.restheart.security.predicate.Cookies;

/// Reads the credentials from a cookie when a request has no others. Protects against cross-site request forgery: a
/// request that may change something is refused if it comes from another origin, and so is a read if browsers send the
/// cookie across sites.
public final class CookieCredentials implements Vetoer {
    private static final Key<Boolean> FROM_COOKIE = Key.named("credentials from a cookie");

    private final String cookie;
    private final boolean checksOrigin;
    private final boolean crossSite;
    private final List<String> origins;

    /// @param checksOrigin false where the browser never sends the cookie across sites
    /// @param crossSite whether browsers send the cookie with requests of other sites' pages, which can read the
    ///     responses
    /// @param origins that may act on behalf of the user, besides this server's own
    public CookieCredentials(String cookie, boolean checksOrigin, boolean crossSite, List<String> origins) {
        this.cookie = cookie;
        this.checksOrigin = checksOrigin;
        this.crossSite = crossSite;
        this.origins = origins.stream().map(CookieCredentials::normal).toList();
    }

    /// The request with the cookie's credentials, if it has no others.
    public Request apply(Request request) {
        if (request.headers().has("Authorization")) {
            return request;
        }
        return Cookies.first(request.headers(), cookie)
                .map(value -> value.startsWith("Bearer_") || value.startsWith("Basic_")
                        ? request.with(AddedField.to(request.headers(), "Authorization", value.replaceFirst("_", " ")))
                                .with(FROM_COOKIE, true)
                        : request)
                .orElse(request);
    }

    @Override
    public boolean vetoes(Request request, @Nullable Account account) {
        if (!checksOrigin
                || (request.method().isSafe() && !crossSite)
                || request.method() == Method.OPTIONS
                || request.attribute(FROM_COOKIE).isEmpty()) {
            return false;
        }
        var origin = request.headers().first("Origin").map(CookieCredentials::normal);
        var own = normal(
                request.connection().scheme() + "://" + request.connection().hostAndPort());
        return origin.isPresent() && !origin.get().equals(own) && !origins.contains(origin.get());
    }

    private static String normal(String origin) {
        var lower = origin.toLowerCase(Locale.ROOT);
        return lower.endsWith("/") ? lower.substring(0, lower.length() - 1) : lower;
    }
}
