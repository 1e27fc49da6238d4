package org.restheart.perftest.deploy;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/// A server to be measured, running in a process on this machine. Closing it ends its process.
public record HttpServer(Process process, int port) implements Closeable {
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
        return new HttpServer(process, Integer.parseInt(line.strip()));
    }

    public long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        Child.stop(process);
    }
}
