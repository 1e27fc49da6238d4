package org.restheart.perftest.experiment;

import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import org.bson.types.ObjectId;
import org.restheart.perftest.listen.EventText;

/// A collection with a change stream, made and filled through a gateway.
final class StreamCollection implements Closeable {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String base;
    private final String authorization;
    private final String name = "stream-" + new ObjectId().toHexString();
    private final String path = "/" + Dataset.DATABASE + "/" + name;

    StreamCollection(int port, String credentials) {
        base = "http://127.0.0.1:" + port;
        authorization = "Basic " + Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8));
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
        var request = HttpRequest.newBuilder(URI.create(base + target))
                .timeout(TIMEOUT)
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .header("Content-Type", "application/json")
                .header("Authorization", authorization)
                .build();
        var response = http.send(request, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != either && response.statusCode() != or) {
            throw new IOException(
                    method + " " + target + " was answered with " + response.statusCode() + ": " + response.body());
        }
    }

    @Override
    public void close() {
        http.close();
    }
}
