package org.restheart.perftest.ycsb;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/// So many blocking HTTP/1.1 connections, shared by threads that wait for a free one; opened when first needed.
public final class HttpPool {
    private final BlockingQueue<BlockingHttp> free;
    private final String fields;

    public HttpPool(InetSocketAddress address, String credentials, int connections) {
        free = new ArrayBlockingQueue<>(connections);
        for (var i = 0; i < connections; i++) {
            free.add(new BlockingHttp(address));
        }
        fields = "Host: " + address.getHostString() + ":" + address.getPort() + "\r\nAuthorization: Basic "
                + Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8)) + "\r\n";
    }

    /// @param accept the media type of the answer; empty for the gateway's default
    public BlockingHttp.Reply exchange(String method, String target, String accept, String content)
            throws IOException, InterruptedException {
        var body = content.getBytes(StandardCharsets.UTF_8);
        var about = body.length == 0 ? "" : "Content-Type: application/json\r\nContent-Length: " + body.length + "\r\n";
        var accepted = accept.isEmpty() ? "" : "Accept: " + accept + "\r\n";
        var head = method + " " + target + " HTTP/1.1\r\n" + fields + accepted + about + "\r\n";
        var connection = free.take();
        try {
            return connection.exchange(head, body);
        } finally {
            free.add(connection);
        }
    }

    /// For the owner, when no exchange is under way.
    public void close() {
        free.forEach(BlockingHttp::close);
    }
}
