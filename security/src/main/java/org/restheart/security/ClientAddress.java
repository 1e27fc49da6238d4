package org.restheart.security;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.HexFormat;
import org.restheart.http.Request;
import org.restheart.http.access.CallerScope;

/// The address under which the attempts and the content of a client are counted.
public sealed interface ClientAddress {
    /// Longer than every address; a longer value is forged.
    int MAX_LENGTH = 64;

    /// The prefix of a site's IPv6 addresses (RFC 6177): one client may have all addresses with the same
    /// prefix.
    int SITE_BYTES = 8;

    /// The other end of the connection.
    record Peer() implements ClientAddress {}

    /// A value of `X-Forwarded-For`, counted from the last, which the nearest proxy has written.
    record Forwarded(int fromLast) implements ClientAddress {}

    default String of(Request request) {
        return switch (this) {
            case Peer() -> peer(request);
            case Forwarded(int fromLast) -> forwarded(request, fromLast);
        };
    }

    /// The caller whose use of shared resources a request counts as ([CallerScope]): its account; the
    /// client's address for an anonymous request, and for the account that all anonymous sessions share.
    default String caller(Request request) {
        var account = request.caller().account();
        return account.isPresent() && !isAnonymous(request)
                ? CallerScope.account(account.get().name())
                : CallerScope.address(of(request));
    }

    private static boolean isAnonymous(Request request) {
        return request.attribute(Credentials.KEY)
                .filter(Credentials::isAnonymous)
                .isPresent();
    }

    private static String peer(Request request) {
        return of(request.connection().peer().getAddress());
    }

    /// The address of the other end of a connection; of IPv6 the part that all addresses of a site share.
    static String of(InetAddress peer) {
        return peer instanceof Inet6Address ipv6
                ? HexFormat.of().formatHex(ipv6.getAddress(), 0, SITE_BYTES)
                : peer.getHostAddress();
    }

    /// Requests without the field share an address.
    private static String forwarded(Request request, int fromLast) {
        var values = String.join(",", request.headers().all("X-Forwarded-For")).split(",", -1);
        var value = values[Math.max(0, values.length - 1 - fromLast)].strip();
        return value.substring(0, Math.min(value.length(), MAX_LENGTH));
    }
}
