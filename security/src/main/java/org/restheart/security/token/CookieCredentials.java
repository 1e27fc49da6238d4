package org.restheart.security.token;

import org.restheart.http.Request;
import org.restheart.security.AmbientCredentials;
import org.restheart.security.SetField;
import org.restheart.security.predicate.Cookies;

/// Takes the credentials from a cookie when a request has none of its own.
///
/// @param cookie its name
/// @param rule what pages of other origins may do with it, since browsers send it by themselves
public record CookieCredentials(String cookie, AmbientCredentials rule) {
    /// The request with the cookie's credentials, if it has no others.
    public Request apply(Request request) {
        if (request.headers().has("Authorization")) {
            return request;
        }
        return Cookies.first(request.headers(), cookie)
                .filter(value -> value.startsWith("Bearer_") || value.startsWith("Basic_"))
                .map(value -> request.with(
                                SetField.in(request.headers(), "Authorization", value.replaceFirst("_", " ")))
                        .with(AmbientCredentials.KEY, rule))
                .orElse(request);
    }
}
