package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.restheart.core.Gateway;
import org.restheart.core.config.GatewayConfig;

/// A target of a proxy that keeps the exact bytes of each request, and answers when its content has arrived.
final class RawTarget implements AutoCloseable {
    private final ServerSocket socket;
    private final BlockingQueue<String> requests = new LinkedBlockingQueue<>();
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger all = new AtomicInteger();
    private final List<String> parts = new CopyOnWriteArrayList<>();

    private final Function<String, String> answers;
    private volatile boolean closesEach;
    private volatile boolean closesAtSecond;

    RawTarget() {
        this(_ -> "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    }

    /// @param answers what is sent for the head of a request
    RawTarget(Function<String, String> answers) {
        this.answers = answers;
        try {
            socket = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(() -> {
            while (!socket.isClosed()) {
                try {
                    var accepted = socket.accept();
                    Thread.ofVirtual().start(() -> serve(accepted));
                } catch (IOException _) {
                    return;
                }
            }
        });
    }

    private void serve(Socket accepted) {
        open.incrementAndGet();
        all.incrementAndGet();
        try (accepted) {
            for (int i = 0; ; i++) {
                var head = until(accepted, "\r\n\r\n");
                var lower = head.toLowerCase(Locale.ROOT);
                int length = lower.contains("content-length: ")
                        ? Integer.parseInt(lower.replaceFirst("(?s).*content-length: (\\d+).*", "$1"))
                        : 0;
                if (closesAtSecond && i == 1) {
                    requests.add(head);
                    part(accepted, length / 2);
                    throw new IOException("closed by the target");
                }
                var content = lower.contains("transfer-encoding: chunked") ? chunks(accepted) : part(accepted, length);
                requests.add(head + content);
                accepted.getOutputStream().write(answers.apply(head).getBytes(StandardCharsets.ISO_8859_1));
                if (closesEach) {
                    throw new IOException("closed by the target");
                }
            }
        } catch (IOException _) {
            open.decrementAndGet(); // the connection is closed
        }
    }

    private String chunks(Socket accepted) throws IOException {
        var all = new StringBuilder();
        while (true) {
            var size = until(accepted, "\r\n");
            all.append(size);
            int length = Integer.parseInt(size.strip(), 16);
            if (length > 0) {
                all.append(part(accepted, length));
            }
            all.append(until(accepted, "\r\n"));
            if (length == 0) {
                return all.toString();
            }
        }
    }

    private String part(Socket accepted, int length) throws IOException {
        var part = new byte[length];
        int read = 0;
        while (read < length) {
            int n = accepted.getInputStream().read(part, read, length - read);
            if (n < 0) {
                throw new IOException("closed");
            }
            read += n;
            parts.add(new String(part, 0, read, StandardCharsets.ISO_8859_1));
        }
        return new String(part, StandardCharsets.ISO_8859_1);
    }

    /// The content that has arrived, of all requests: after each read what there is of the content, or of the chunk.
    List<String> parts() {
        return parts;
    }

    private static String until(Socket socket, String end) throws IOException {
        var read = new ByteArrayOutputStream();
        while (!read.toString(StandardCharsets.ISO_8859_1).endsWith(end)) {
            int next = socket.getInputStream().read();
            if (next < 0) {
                throw new IOException("closed");
            }
            read.write(next);
        }
        return read.toString(StandardCharsets.ISO_8859_1);
    }

    /// Closes each connection after a response, without saying so in it.
    RawTarget closingEach() {
        closesEach = true;
        return this;
    }

    /// Closes each connection within the content of a second request.
    RawTarget closingAtSecond() {
        closesAtSecond = true;
        return this;
    }

    String url() {
        return "http://127.0.0.1:" + socket.getLocalPort();
    }

    String next() throws InterruptedException {
        var request = requests.poll(60, TimeUnit.SECONDS);
        assertThat(request).isNotNull();
        return request;
    }

    /// Starts a gateway that forwards `/back` to this target, for the accounts `ada` and `bob`.
    ///
    /// @param more of the entry of `proxies`
    Gateway gateway(String more) {
        return gateway(url(), more);
    }

    static Gateway gateway(String url, String more) {
        return gateway(url, more, "");
    }

    /// @param more of the proxy
    /// @param core what `core` has besides
    static Gateway gateway(String url, String more, String core) {
        return Gateway.start(GatewayConfig.parse("""
            http-listener: {host: 127.0.0.1, port: 0}
            mclient: {enabled: false}
            mongo: {enabled: false}
            graphql: {enabled: false}
            basicAuthMechanism: {enabled: true, authenticator: fileRealmAuthenticator}
            fileRealmAuthenticator: {enabled: true, users: [{userid: ada, password: pw, roles: [a]},
              {userid: bob, password: pw, roles: [a]}, {userid: 'ada ', password: pw, roles: [a]},
              {userid: "ada\\r\\n", password: pw, roles: [a]}, {userid: "ada\\u3000", password: pw, roles: [a]},
              {userid: comma, password: pw, roles: [a, 'b, root']}, {userid: blank, password: pw, roles: [a, ' root']},
              {userid: tab, password: pw, roles: [a, "root\\t"]}]}
            fileAclAuthorizer: {enabled: true, permissions: [
              {role: a, predicate: "path-prefix('/back') and not path-prefix('/back/admin')"}]}
            apiKeyAuthMechanism: {enabled: false}
            core: {io-threads: 1%s}
            proxies: [{location: /back, proxy-pass: '%s'%s}]
            """.formatted(core, url, more)));
    }

    static String basic(String name) {
        return "Authorization: Basic "
                + Base64.getEncoder().encodeToString((name + ":pw").getBytes(StandardCharsets.UTF_8));
    }

    boolean hasRequests() {
        return !requests.isEmpty();
    }

    /// Also those that have been closed.
    int allConnections() {
        return all.get();
    }

    /// Those that are open.
    int connections() {
        return open.get();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
