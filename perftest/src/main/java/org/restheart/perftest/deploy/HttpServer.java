package org.restheart.perftest.deploy;

import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A server to be measured, running in a process on this machine. Closing it ends its process.
///
/// @param startMillis until it answered; 0 where that was not measured
public record HttpServer(Process process, int port, long startMillis) implements Closeable {
    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final Duration BETWEEN_ATTEMPTS = Duration.ofMillis(10);

    /// Starts a command of this program that prints its port when it is ready, such as [NullServer].
    public static HttpServer start(List<String> jvmOptions, List<String> arguments) throws IOException {
        return of(Child.ofThisProgram(jvmOptions, arguments), String.join(" ", arguments));
    }

    /// Waits until the process prints its port.
    static HttpServer of(Process process, String name) throws IOException {
        var line = process.inputReader().readLine();
        if (line == null) {
            throw new IOException("the server did not start: " + name);
        }
        return new HttpServer(process, Integer.parseInt(line.strip()), 0);
    }

    /// Starts a program, which ends with this process, and waits until it answers with 200.
    ///
    /// @param log where it writes, so that a failed start can be explained
    static HttpServer start(ProcessBuilder program, int port, String path, Path log)
            throws IOException, InterruptedException {
        long began = System.nanoTime();
        var process =
                program.redirectErrorStream(true).redirectOutput(log.toFile()).start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroy, "end of a child"));
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(5))
                .build();
        var giveUp = System.nanoTime() + START_LIMIT.toNanos();
        try (var client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
            while (!answers(client, request)) {
                if (!process.isAlive() || System.nanoTime() > giveUp) {
                    Child.stop(process);
                    throw new IOException("the gateway did not start; its output is in " + log);
                }
                TimeUnit.NANOSECONDS.sleep(BETWEEN_ATTEMPTS.toNanos());
            }
        }
        return new HttpServer(process, port, (System.nanoTime() - began) / 1_000_000);
    }

    private static boolean answers(HttpClient client, HttpRequest request) throws InterruptedException {
        try {
            return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException _) {
            return false; // not listening yet
        }
    }

    public long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        Child.stop(process);
    }
}
