package org.restheart.testkit.wire;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// A request as it goes over the wire. Immutable.
///
/// @param method sent as is, also when there is no such method
/// @param target path and query, sent as is, in UTF-8
/// @param headers in this order; `Host`, `Connection: close` and `Content-Length` are added where absent
/// @param body empty for none
@SuppressWarnings("ArrayRecordComponent") // messages are sent and read, never compared
public record WireRequest(String method, String target, List<Header> headers, byte[] body) {

    /// A header line.
    public record Header(String name, String value) {}

    /// @param line such as `GET /db/books?page=2`
    /// @throws IllegalArgumentException when a method or a target is missing
    public static WireRequest of(String line) {
        var space = line.indexOf(' ');
        if (space < 1 || space == line.length() - 1) {
            throw new IllegalArgumentException("a request is METHOD, a blank and a target, not '" + line + "'");
        }
        return new WireRequest(line.substring(0, space), line.substring(space + 1), List.of(), new byte[0]);
    }

    public WireRequest with(String name, String value) {
        var more = new ArrayList<>(headers);
        more.add(new Header(name, value));
        return new WireRequest(method, target, List.copyOf(more), body);
    }

    public WireRequest withBody(byte[] body) {
        return new WireRequest(method, target, headers, body);
    }

    public WireRequest withBody(String body) {
        return withBody(body.getBytes(StandardCharsets.UTF_8));
    }

    boolean has(String name) {
        return headers.stream().anyMatch(header -> header.name().equalsIgnoreCase(name));
    }

    byte[] bytes(String host) {
        var head = new StringBuilder(method).append(' ').append(target).append(" HTTP/1.1\r\n");
        if (!has("Host")) {
            append(head, "Host", host);
        }
        if (!has("Connection")) {
            append(head, "Connection", "close");
        }
        headers.forEach(header -> append(head, header.name(), header.value()));
        if (body.length > 0 && !has("Content-Length") && !has("Transfer-Encoding")) {
            append(head, "Content-Length", Integer.toString(body.length));
        }
        var headBytes = head.append("\r\n").toString().getBytes(StandardCharsets.UTF_8);
        var all = new byte[headBytes.length + body.length];
        System.arraycopy(headBytes, 0, all, 0, headBytes.length);
        System.arraycopy(body, 0, all, headBytes.length, body.length);
        return all;
    }

    private static void append(StringBuilder head, String name, String value) {
        head.append(name).append(": ").append(value).append("\r\n");
    }
}
