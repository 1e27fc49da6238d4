package org.restheart.perftest.deploy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// HAProxy, as Debian has it, in front of several servers on this machine: one thread, connections to the servers are
/// kept and shared, requests in turn.
public final class Balancer {
    private static final List<Path> PLACES = List.of(Path.of("/usr/sbin/haproxy"), Path.of("/usr/local/sbin/haproxy"));

    private Balancer() {}

    /// Starts it and waits until a server answers through it.
    ///
    /// @param folder for its configuration and its output
    /// @throws IOException also if there is no HAProxy
    public static HttpServer start(String name, List<Integer> ports, Path folder)
            throws IOException, InterruptedException {
        var program = PLACES.stream()
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new IOException("needs HAProxy: apt-get install haproxy"));
        var port = HttpServer.freePort();
        var servers = IntStream.range(0, ports.size())
                .mapToObj(i -> "  server g" + (i + 1) + " 127.0.0.1:" + ports.get(i))
                .collect(Collectors.joining("\n"));
        var text = """
            global
              maxconn 5000
              nbthread 1
            defaults
              mode http
              http-reuse always
              timeout connect 5s
              timeout client 60s
              timeout server 60s
            frontend clients
              bind 127.0.0.1:%d
              default_backend gateways
            backend gateways
              balance roundrobin
            %s
            """.formatted(port, servers);
        var configuration = Files.writeString(folder.resolve(name + ".cfg"), text);
        var log = folder.resolve(name + ".log");
        var builder = new ProcessBuilder(program.toString(), "-db", "-f", configuration.toString());
        return HttpServer.start(builder, port, "/ping", log);
    }
}
