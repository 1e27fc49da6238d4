package org.restheart.perftest.deploy;

import java.io.Closeable;

/// A server to be measured, running in a process on this machine. Closing it ends its process.
public record HttpServer(Process process, int port) implements Closeable {
    public long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        Child.stop(process);
    }
}
