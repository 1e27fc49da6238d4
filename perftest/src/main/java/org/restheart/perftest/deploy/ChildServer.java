package org.restheart.perftest.deploy;

import java.io.IOException;
import java.util.List;

/// Starts servers in child processes that print their port when they are ready, such as [NullServer].
public final class ChildServer {
    private ChildServer() {}

    /// Waits until the process prints its port.
    static HttpServer of(Process process, String name) throws IOException {
        var line = process.inputReader().readLine();
        if (line == null) {
            throw new IOException("the server did not start: " + name);
        }
        return new HttpServer(process, Integer.parseInt(line.strip()));
    }

    public static HttpServer start(List<String> jvmOptions, List<String> arguments) throws IOException {
        return of(Child.ofThisProgram(jvmOptions, arguments), String.join(" ", arguments));
    }
}
