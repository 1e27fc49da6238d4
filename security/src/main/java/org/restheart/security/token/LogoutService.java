package org.restheart.security.token;

import java.util.Optional;
import org.restheart.http.IoThreadService;
import org.restheart.http.Method;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.security.Credentials;
import org.restheart.security.TokenManager;

/// `POST /logout`: deletes the cookie and revokes the token of the request, if there is one. Public.
public record LogoutService(TokenCookie cookie, Optional<TokenManager> tokens) implements IoThreadService {
    @Override
    public Response handle(Request request) {
        request.requireMethod(Method.POST);
        var shown = request.attribute(Credentials.KEY)
                .filter(credentials -> credentials.token().isPresent() && !credentials.isApiKey());
        shown.ifPresent(credentials -> request.caller()
                .account()
                .ifPresent(account -> tokens.ifPresent(manager -> manager.invalidate(request, account, credentials))));
        return Response.status(200).with("Set-Cookie", cookie.remove());
    }
}
