package org.restheart.perftest.experiment;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.bson.types.ObjectId;
import org.restheart.perftest.listen.EventText;
import org.restheart.perftest.ycsb.HttpPool;

/// A collection with a change stream, made and filled through a gateway.
final class StreamCollection implements Closeable {
    private final HttpPool http;
    private final String name = "stream-" + new ObjectId().toHexString();
    private final String path = "/" + Dataset.DATABASE + "/" + name;

    StreamCollection(int port, String credentials) {
        http = new HttpPool(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), credentials, 1);
    }

    String name() {
        return name;
    }

    String streamPath() {
        return path + "/_streams/all";
    }

    void create() throws IOException, InterruptedException {
        send("PUT", "/" + Dataset.DATABASE, "{}", 200, 201);
        send("PUT", path, "{\"streams\":[{\"uri\":\"all\",\"stages\":[]}]}", 200, 201);
    }

    /// Posts so many numbered documents at a steady rate.
    ///
    /// @param padding bytes of each document
    /// @return when the first was posted, by [System#nanoTime()]
    long post(double rate, int count, int padding) throws IOException, InterruptedException {
        var firstAt = System.nanoTime();
        for (var i = 0; i < count; i++) {
            TimeUnit.NANOSECONDS.sleep(firstAt + (long) (i * 1e9 / rate) - System.nanoTime());
            send("POST", path, EventText.document(i + 1, System.nanoTime(), padding), 201, 201);
        }
        return firstAt;
    }

    private void send(String method, String target, String body, int either, int or)
            throws IOException, InterruptedException {
        var response = http.exchange(method, target, "", body);
        if (response.status() != either && response.status() != or) {
            var text = new String(response.body(), StandardCharsets.UTF_8);
            throw new IOException(method + " " + target + " was answered with " + response.status() + ": " + text);
        }
    }

    @Override
    public void close() {
        http.close();
    }
}
