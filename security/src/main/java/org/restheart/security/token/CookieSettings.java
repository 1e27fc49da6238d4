package org.restheart.security.token;

import java.time.Duration;
import java.util.Optional;

/// The cookie that carries a token (RFC 6265).
///
/// @param domain the attribute's value, if it is sent; without it the cookie is this host's alone
/// @param sameSite the attribute's value, if it is sent: `Strict`, `Lax` or `None`
/// @param exposesToken whether the response that sets the cookie also contains the token
public record CookieSettings(
        String name,
        Optional<String> domain,
        String path,
        boolean secure,
        boolean httpOnly,
        Optional<String> sameSite,
        Duration lifetime,
        boolean exposesToken) {

    /// Whether browsers send it with requests of other sites' scripts. Some do without the attribute.
    public boolean isSentAcrossSites() {
        return sameSite.isEmpty() || sameSite.get().equals("None");
    }

    String set(String value) {
        return name + "=" + value + domain.map(host -> "; Domain=" + host).orElse("") + "; Path=" + path
                + (httpOnly ? "; HttpOnly" : "")
                + sameSite.map(mode -> "; SameSite=" + mode).orElse("")
                + (secure ? "; Secure" : "")
                + "; Max-Age=" + lifetime.toSeconds();
    }

    /// `Set-Cookie` that deletes the cookie.
    String remove() {
        return name + "=; Path=" + path + domain.map(host -> "; Domain=" + host).orElse("")
                + (secure ? "; Secure" : "")
                + (httpOnly ? "; HttpOnly" : "")
                + sameSite.map(mode -> "; SameSite=" + mode).orElse("")
                + "; Max-Age=0";
    }
}
