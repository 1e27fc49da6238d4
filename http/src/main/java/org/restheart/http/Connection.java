package org.restheart.http;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;

/// The connection on which a request arrived. Immutable.
///
/// @param scheme `http` or `https`
/// @param protocol such as `HTTP/1.1`
/// @param hostAndPort the name by which the client addresses this server: the `Host` field, or the listener's address
///     without one
/// @param peer the client's end of the connection; a proxy's when there is one in between
/// @param publicUrl by which clients know this server, where that is configured or said by a proxy that is trusted;
///     without a slash at its end
/// @param forwardedFor the client, where a proxy that is trusted says who it is
public record Connection(
        String scheme,
        String protocol,
        String hostAndPort,
        InetSocketAddress peer,
        InetSocketAddress local,
        Optional<String> publicUrl,
        Optional<InetAddress> forwardedFor) {

    public Connection(
            String scheme, String protocol, String hostAndPort, InetSocketAddress peer, InetSocketAddress local) {
        this(scheme, protocol, hostAndPort, peer, local, Optional.empty(), Optional.empty());
    }

    /// What absolute URLs of this server begin with, for this client; without a slash at the end.
    public String baseUrl() {
        return publicUrl.orElseGet(() -> scheme + "://" + hostAndPort);
    }

    /// What the URL of a request began with, for logs and traces: what a trusted proxy says that names its client, else
    /// what was received.
    public String calledUrl() {
        return forwardedFor.isPresent() ? baseUrl() : scheme + "://" + hostAndPort;
    }

    /// The path of [#baseUrl()], with which all paths begin that clients are told; mostly empty.
    public String basePath() {
        if (publicUrl.isEmpty()) {
            return "";
        }
        var url = publicUrl.get();
        int slash = url.indexOf('/', url.indexOf("://") + 3);
        return slash < 0 ? "" : url.substring(slash);
    }

    public boolean isSecure() {
        return "https".equals(scheme);
    }

    /// The peer's IP address as text, without brackets or scope.
    public String peerAddress() {
        return address(peer);
    }

    /// The IP address of the client, for logs and traces: what a trusted proxy says, else [#peerAddress()].
    public String clientAddress() {
        return forwardedFor.map(InetAddress::getHostAddress).orElseGet(this::peerAddress);
    }

    public String localAddress() {
        return address(local);
    }

    private static String address(InetSocketAddress end) {
        return end.getAddress() == null ? end.getHostString() : end.getAddress().getHostAddress();
    }

    /// Whether a host is this machine, whatever its resolver says. A page in a browser may call this server by a name
    /// of its own (DNS rebinding).
    public static boolean isLoopback(String host) {
        return host.equalsIgnoreCase("localhost")
                || host.equals("::1")
                || host.equals("[::1]")
                || host.matches("127(\\.\\d{1,3}){3}");
    }

    /// [#hostAndPort()] without the port, which may be empty (RFC 3986, 3.2.3).
    public String host() {
        int colon = hostAndPort.lastIndexOf(':');
        boolean isPort = colon >= 0 && hostAndPort.chars().skip(colon + 1L).allMatch(c -> c >= '0' && c <= '9');
        return isPort ? hostAndPort.substring(0, colon) : hostAndPort;
    }
}
