package org.restheart.security.token;

import java.util.Optional;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// The base URL of this server for clients: the configured one, else that of the request.
///
/// @param configured without a slash at the end
public record BaseUrl(Optional<String> configured, boolean trustsForwarded) {
    public BaseUrl {
        configured = configured.map(url -> url.replaceFirst("/+$", ""));
    }

    public String of(Request request) {
        return configured.or(() -> forwarded(request)).orElseGet(request.connection()::baseUrl);
    }

    /// A response that names it. Unless it is configured, each request says what it is: caches must not give the
    /// response to another client.
    Response.Ready named(Response.Ready response) {
        return configured.isPresent() ? response : response.with("Cache-Control", "no-store");
    }

    private Optional<String> forwarded(Request request) {
        return trustsForwarded
                ? request.headers()
                        .first("X-Forwarded-Proto")
                        .flatMap(scheme ->
                                request.headers().first("X-Forwarded-Host").map(host -> scheme + "://" + host))
                : Optional.empty();
    }
}
