package org.restheart.http;

import java.net.InetSocketAddress;

/// The connection on which a request arrived. Immutable.
///
/// @param scheme `http` or `https`
/// @param protocol such as `HTTP/1.1`
/// @param hostAndPort the name by which the client addresses this server: the `Host` field, or the listener's address
///     without one
/// @param peer the client's end of the connection; a proxy's when there is one in between
public record Connection(
        String scheme, String protocol, String hostAndPort, InetSocketAddress peer, InetSocketAddress local) {

    public boolean isSecure() {
        return "https".equals(scheme);
    }

    /// The peer's IP address as text, without brackets or scope.
    public String peerAddress() {
        return address(peer);
    }

    /// The IP address of this server's end, like [#peerAddress()].
    public String localAddress() {
        return address(local);
    }

    private static String address(InetSocketAddress end) {
        return end.getAddress() == null ? end.getHostString() : end.getAddress().getHostAddress();
    }

    /// [#hostAndPort()] without the port.
    public String host() {
        return hostAndPort.replaceFirst(":\\d+$", "");
    }
}
