package org.restheart.security.token;

import static org.restheart.http.AuthorizationHeader.BASIC;
import static org.restheart.http.AuthorizationHeader.BEARER;

import java.time.Duration;
import java.util.Optional;
import org.restheart.http.AuthorizationHeader;
import org.restheart.http.Request;
import org.restheart.security.AmbientCredentials;
import org.restheart.security.predicate.Cookies;

/// The cookie that carries a token (RFC 6265).
///
/// @param domain the attribute's value, if it is sent; without it the cookie is this host's alone
/// @param sameSite the attribute's value, if it is sent: `Strict`, `Lax` or `None`
public record TokenCookie(
        String name,
        Optional<String> domain,
        String path,
        boolean secure,
        boolean httpOnly,
        Optional<String> sameSite,
        Duration lifetime,
        boolean exposesToken) {

    /// The request with the cookie's credentials, if it has no others.
    ///
    /// @param rule what pages of other origins may do with them, since browsers send cookies by themselves
    public Request credentialsIn(Request request, AmbientCredentials rule) {
        if (AuthorizationHeader.isIn(request.headers())) {
            return request;
        }
        return Cookies.first(request.headers(), name)
                .map(value -> new AuthorizationHeader(value.replaceFirst("_", " ")))
                .filter(sent -> sent.hasExactly(BEARER) || sent.hasExactly(BASIC))
                .map(sent -> sent.in(request).with(AmbientCredentials.KEY, rule))
                .orElse(request);
    }

    /// Whether browsers send it with requests of other sites' scripts. Some do without the attribute.
    public boolean isSentAcrossSites() {
        return sameSite.isEmpty() || sameSite.get().equals("None");
    }

    /// `Set-Cookie` with credentials: a cookie's value must not contain a blank.
    String set(AuthorizationHeader credentials) {
        return name + "=" + credentials.line().replace(' ', '_') + attribute("Domain", domain) + "; Path=" + path
                + (httpOnly ? "; HttpOnly" : "") + attribute("SameSite", sameSite) + (secure ? "; Secure" : "")
                + "; Max-Age=" + lifetime.toSeconds();
    }

    /// `Set-Cookie` that deletes the cookie. Former releases send its attributes in this order, [#set] in another; each
    /// line stays as it was.
    String remove() {
        return name + "=; Path=" + path + attribute("Domain", domain) + (secure ? "; Secure" : "")
                + (httpOnly ? "; HttpOnly" : "") + attribute("SameSite", sameSite) + "; Max-Age=0";
    }

    private static String attribute(String name, Optional<String> value) {
        return value.map(text -> "; " + name + "=" + text).orElse("");
    }
}
