package org.restheart.security.jwt;

import java.net.InetAddress;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import org.restheart.http.Request;

/// An endpoint that requires tokens whose `aud` names it (RFC 8707). Tokens whose `aud` names only this endpoint
/// are valid there and nowhere else. Immutable.
///
/// @param path of the endpoint, and of everything below it
/// @param baseUrl by which the client of a request knows this server
/// @param known whether `baseUrl` is configured. If it is the request that says it, which a client may write as
///     it likes, only a name of this end of its connection is this endpoint's: an address, or `localhost`, and
///     the port
/// @param plain whether the endpoint also takes tokens without `aud`
public record ResourceTokens(String path, Function<Request, String> baseUrl, boolean known, boolean plain) {
    public String uri(Request request) {
        return baseUrl.apply(request) + path;
    }

    /// Whether a text is that identifier; scheme and host compare without case.
    public boolean isNamed(Request request, String resource) {
        var own = uri(request);
        return canonical(resource).equals(canonical(own)) && (known || isLocal(request, own));
    }

    private static boolean isLocal(Request request, String url) {
        var local = request.connection().local();
        var address = local.getAddress();
        var uri = parsed(url).filter(parsed -> parsed.getHost() != null);
        if (address == null || uri.isEmpty()) {
            return false;
        }
        int usual = "https".equalsIgnoreCase(uri.get().getScheme()) ? 443 : 80;
        int port = uri.get().getPort() < 0 ? usual : uri.get().getPort();
        return port == local.getPort() && isNameOf(address, uri.get().getHost().toLowerCase(Locale.ROOT));
    }

    /// Names are compared without resolving them.
    private static boolean isNameOf(InetAddress address, String host) {
        if (address.isLoopbackAddress() && host.equals("localhost")) {
            return true;
        }
        var literal = host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
        try {
            return InetAddress.ofLiteral(literal).equals(address);
        } catch (IllegalArgumentException _) {
            return false;
        }
    }

    /// @param everywhere the audience that every token must have, so that it says nothing about where one is valid,
    ///     unless it is this endpoint
    boolean accept(Request request, Claims claims, List<String> everywhere) {
        var audience = claims.audience().stream()
                .filter(name -> !everywhere.contains(name) || isPathNamed(name))
                .toList();
        if (isBelow(request)) {
            return audience.isEmpty() ? plain : audience.stream().anyMatch(name -> isNamed(request, name));
        }
        // compares only the path, since clients can reach this server by several host names
        return audience.isEmpty() || !audience.stream().allMatch(this::isPathNamed);
    }

    private boolean isBelow(Request request) {
        var decoded = request.path().decoded();
        return decoded.equals(path) || decoded.startsWith(path + "/");
    }

    private boolean isPathNamed(String resource) {
        return isAt(resource, path);
    }

    /// Whether a resource has this path, at whatever server.
    public static boolean isAt(String resource, String path) {
        return parsed(resource)
                .map(URI::getPath)
                .filter(named -> withoutSlash(named).equals(path))
                .isPresent();
    }

    private static Optional<URI> parsed(String text) {
        try {
            return Optional.of(URI.create(text));
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    private static String withoutSlash(String text) {
        return text.length() > 1 && text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
    }

    private static List<String> canonical(String resource) {
        return parsed(resource)
                .filter(uri -> uri.getScheme() != null && uri.getRawAuthority() != null)
                .map(uri -> List.of(
                        uri.getScheme().toLowerCase(Locale.ROOT),
                        uri.getRawAuthority().toLowerCase(Locale.ROOT),
                        withoutSlash(Optional.ofNullable(uri.getRawPath()).orElse("")),
                        Optional.ofNullable(uri.getRawQuery()).orElse("")))
                .orElseGet(() -> List.of(resource));
    }
}
