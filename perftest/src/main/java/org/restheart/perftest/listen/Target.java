package org.restheart.perftest.listen;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/// A change stream of a gateway, and on whose behalf it is opened. Immutable.
///
/// @param credentials `name:password` for HTTP Basic
public record Target(String host, int port, String path, String credentials) {

    InetSocketAddress address() {
        return new InetSocketAddress(host, port);
    }

    String authorization() {
        return "Basic " + Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8));
    }

    /// Request line and first fields of an HTTP/1.1 request, without the empty line.
    String requestHead() {
        return "GET " + path + " HTTP/1.1\r\nHost: " + host + ":" + port + "\r\nAuthorization: " + authorization()
                + "\r\n";
    }
}
