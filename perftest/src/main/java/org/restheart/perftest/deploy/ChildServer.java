package org.restheart.perftest.deploy;

import java.io.IOException;
import java.util.List;

/// A server of this program's own in a child process, such as [NullServer], which prints its port when it is ready.
public final class ChildServer implements HttpServer {
    private final Process process;
    private final int port;

    private ChildServer(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    public static ChildServer start(List<String> jvmOptions, List<String> arguments) throws IOException {
        var process = Child.ofThisProgram(jvmOptions, arguments);
        var line = process.inputReader().readLine();
        if (line == null) {
            throw new IOException("the server did not start: " + String.join(" ", arguments));
        }
        return new ChildServer(process, Integer.parseInt(line));
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
