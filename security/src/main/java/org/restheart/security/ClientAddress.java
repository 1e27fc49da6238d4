package org.restheart.security;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.HexFormat;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.restheart.http.Headers;
import org.restheart.http.Request;
import org.restheart.http.access.CallerScope;

/// The address under which the attempts and the content of a client are counted.
public sealed interface ClientAddress {
    /// Longer than every address; a longer value is forged.
    int MAX_LENGTH = 64;

    /// The prefix of a site's IPv6 addresses: households are given a /56 or more (RFC 6177, RIPE-690), so that one
    /// client may have all addresses with the same prefix. Where a network gives each client a /64, as mobile
    /// operators do, up to 256 of them count as one, like clients behind one IPv4 address.
    int SITE_BYTES = 7;

    /// The prefix of one network, in which each host chooses the rest of its addresses (RFC 7421).
    int NETWORK_BYTES = 8;

    /// An IPv4 address, or an IPv6 address in brackets, each with an optional port.
    Pattern WITH_PORT = Pattern.compile("(?:([0-9.]+)|\\[([0-9A-Fa-f:.]+)])(?::[0-9]{1,5})?");

    record Peer() implements ClientAddress {}

    /// A value of `X-Forwarded-For`, counted from the last, which the nearest proxy has written; the peer for a
    /// connection that is not one of a proxy.
    ///
    /// @param proxies whose `X-Forwarded-…` is trusted
    record Forwarded(int fromLast, Predicate<InetAddress> proxies) implements ClientAddress {}

    /// Whether what the peer of a connection says in `X-Forwarded-…` is true.
    default boolean trusts(InetAddress peer) {
        return this instanceof Forwarded(int _, var proxies) && proxies.test(peer);
    }

    /// The client for whom a trusted proxy forwards a request; empty if its peer is none, or does not say it.
    default Optional<InetAddress> forwardedFor(InetAddress peer, Headers headers) {
        return this instanceof Forwarded(int fromLast, var proxies) && proxies.test(peer)
                ? literal(value(headers, fromLast))
                : Optional.empty();
    }

    /// For shares of what all clients use: of IPv6 all addresses of a site are one.
    default String of(Request request) {
        return prefix(request, SITE_BYTES);
    }

    /// For refusals, which concern no neighbors: of IPv6 all addresses of a network are one.
    default String network(Request request) {
        return prefix(request, NETWORK_BYTES);
    }

    /// Whether the client is on this machine: the peer is, and so is everybody whom it forwards for, if it says
    /// so; a proxy that does not say it, but that it is one, has clients anywhere. What it says may be
    /// what its client has sent: each address in it must be one of this machine. Nor is a page of another site that
    /// a browser of this machine shows, as the browser says.
    default boolean isLoopback(Request request) {
        var headers = request.headers();
        return request.connection().peer().getAddress().isLoopbackAddress()
                && !headers.all("Sec-Fetch-Site").contains("cross-site")
                && !headers.has("Forwarded")
                && !headers.has("Via")
                && (headers.has("X-Forwarded-For")
                        ? Stream.of("X-Forwarded-For", "X-Real-IP")
                                .flatMap(name -> headers.all(name).stream())
                                .allMatch(ClientAddress::areLoopback)
                        : !headers.has("X-Real-IP")
                                && !headers.has("X-Forwarded-Host")
                                && !headers.has("X-Forwarded-Proto"));
    }

    private static boolean areLoopback(String addresses) {
        return Stream.of(addresses.split(",", -1))
                .allMatch(address -> literal(address.strip())
                        .filter(InetAddress::isLoopbackAddress)
                        .isPresent());
    }

    private String prefix(Request request, int bytes) {
        var peer = request.connection().peer().getAddress();
        return this instanceof Forwarded(int fromLast, var proxies) && proxies.test(peer)
                ? forwarded(request, fromLast, bytes)
                : prefix(peer, bytes);
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

    /// The text under which the clients of an address are counted; of IPv6 the part that all addresses of a site share.
    static String of(InetAddress address) {
        return prefix(address, SITE_BYTES);
    }

    private static String prefix(InetAddress address, int bytes) {
        return address instanceof Inet6Address ipv6
                ? HexFormat.of().formatHex(ipv6.getAddress(), 0, bytes)
                : address.getHostAddress();
    }

    /// Requests without the field share an address. A port is left out, which some proxies append: each connection of
    /// a client would be another address.
    private static String forwarded(Request request, int fromLast, int bytes) {
        var bounded = value(request.headers(), fromLast);
        return literal(bounded).map(address -> prefix(address, bytes)).orElse(bounded);
    }

    private static String value(Headers headers, int fromLast) {
        var values = String.join(",", headers.all("X-Forwarded-For")).split(",", -1);
        var value = values[Math.max(0, values.length - 1 - fromLast)].strip();
        return value.substring(0, Math.min(value.length(), MAX_LENGTH));
    }

    private static Optional<InetAddress> literal(String value) {
        var matcher = WITH_PORT.matcher(value);
        try {
            return Optional.of(InetAddress.ofLiteral(matcher.matches() ? matcher.replaceFirst("$1$2") : value));
        } catch (IllegalArgumentException _) { // an obfuscated identifier (RFC 7239, section 6.3)
            return Optional.empty();
        }
    }
}
