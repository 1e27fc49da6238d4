package org.restheart.perftest.deploy;

import java.io.IOException;
import java.util.List;

/// A server in a child process, such as [NullServer], which prints its port when it is ready.
public final class ChildServer implements HttpServer {
    private final Process process;
    private final int port;

    /// Waits until the process prints its port.
    static ChildServer of(Process process, String name) throws IOException {
        var line = process.inputReader().readLine();
        if (line == null) {
            throw new IOException("the server did not start: " + name);
        }
        return new ChildServer(process, Integer.parseInt(line.strip()));
    }

    private ChildServer(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    public static ChildServer start(List<String> jvmOptions, List<String> arguments) throws IOException {
        return of(Child.ofThisProgram(jvmOptions, arguments), String.join(" ", arguments));
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        Child.stop(process);
    }
}
