package org.restheart.perftest.deploy;

import java.io.Closeable;

/// A server to be measured, running on this machine. Closing it ends its process.
public interface HttpServer extends Closeable {

    int port();

    long pid();

    @Override
    void close();
}
