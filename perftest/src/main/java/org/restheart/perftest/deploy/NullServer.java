package org.restheart.perftest.deploy;

import io.undertow.Undertow;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.Headers;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `null-server`: a bare Undertow with a constant response on its I/O threads; the upper bound for any server of
/// this kind, and so for the harness. Prints its port, ends when its standard input does.
@Command(
        name = "null-server",
        hidden = true,
        description = "A bare Undertow that answers from memory.",
        mixinStandardHelpOptions = true)
public final class NullServer implements Runnable {
    @Option(names = "--port", defaultValue = "0", description = "0 takes a free one.")
    int port;

    @Option(
            names = "--body-bytes",
            defaultValue = "411",
            description = "Length of the answer; default ${DEFAULT-VALUE}.")
    int bodyBytes;

    @Option(names = "--io-threads", defaultValue = "1", description = "Default ${DEFAULT-VALUE}.")
    int ioThreads;

    @Override
    public void run() {
        var server = Undertow.builder()
                .addHttpListener(port, "127.0.0.1")
                .setIoThreads(ioThreads)
                .setWorkerThreads(1)
                .setHandler(fixed(bodyBytes))
                .build();
        server.start();
        var address = (InetSocketAddress) server.getListenerInfo().getFirst().getAddress();
        System.out.println(address.getPort());
        Child.awaitEndOfInput();
        server.stop();
    }

    /// Reads no body: Undertow drains what a request brings.
    private static HttpHandler fixed(int length) {
        var body = ByteBuffer.wrap(("[\"" + "x".repeat(length - 4) + "\"]").getBytes(StandardCharsets.US_ASCII))
                .asReadOnlyBuffer();
        return exchange -> answer(exchange, body);
    }

    private static void answer(HttpServerExchange exchange, ByteBuffer body) {
        exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, "application/json");
        exchange.getResponseSender().send(body.duplicate());
    }
}
