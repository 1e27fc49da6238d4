package org.restheart.perftest.deploy;

import io.undertow.Undertow;
import io.undertow.util.Headers;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.Command;

/// `null-server`: a bare Undertow with a constant response on its I/O threads; the upper bound for any server of
/// this kind. Prints its port, ends when its standard input does.
@Command(name = "null-server", hidden = true, description = "A bare Undertow that answers from memory.")
public final class NullServer implements Runnable {
    private static final int BODY_BYTES = 411;

    @Override
    public void run() {
        var text = "[\"" + "x".repeat(BODY_BYTES - 4) + "\"]";
        var body = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)).asReadOnlyBuffer();
        var server = Undertow.builder()
                .addHttpListener(0, "127.0.0.1")
                .setIoThreads(1)
                .setWorkerThreads(1)
                .setHandler(exchange -> {
                    exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, "application/json");
                    exchange.getResponseSender().send(body.duplicate()); // Undertow drains what a request brings
                })
                .build();
        server.start();
        var address = (InetSocketAddress) server.getListenerInfo().getFirst().getAddress();
        System.out.println(address.getPort());
        Child.awaitEndOfInput();
        server.stop();
    }
}
