package org.restheart.core.file;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Random;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.core.security.TestGateway;
import org.restheart.testkit.TestClient;

/// A client of a gateway that sends and receives the content of files.
record FileClient(TestGateway gateway) {
    static final String MULTIPART = "multipart/form-data; boundary=XX";

    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /// @param headers names and values in turn
    HttpResponse<byte[]> send(String user, String method, String path, byte[] content, String... headers)
            throws Exception {
        var body = content.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(content);
        return send(user, method, path, body, BodyHandlers.ofByteArray(), headers);
    }

    <T> HttpResponse<T> send(
            String user,
            String method,
            String path,
            BodyPublisher content,
            HttpResponse.BodyHandler<T> received,
            String... headers)
            throws Exception {
        var address = gateway.address();
        var request = HttpRequest.newBuilder(
                        URI.create("http://" + address.getHostString() + ":" + address.getPort() + path))
                .method(method, content)
                .header("Authorization", credentials(user));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HTTP.send(request.build(), received);
    }

    HttpResponse<byte[]> upload(String user, String bucket, String metadata, byte[] file) throws Exception {
        return send(user, "POST", "/" + bucket + ".files", multipart(metadata, file), "Content-Type", MULTIPART);
    }

    /// Stores content by itself, without metadata.
    HttpResponse<byte[]> raw(String path, byte[] content) throws Exception {
        return send("admin", "PUT", path, content, "Content-Type", "image/png");
    }

    /// The number of chunks of a file in MongoDB.
    long chunks(String bucket, String id) {
        return gateway.collection(bucket + ".chunks").countDocuments(new BsonDocument("files_id", new BsonString(id)));
    }

    static String credentials(String user) {
        return TestClient.basic(user, user + "-pw");
    }

    /// @param metadata JSON; empty for none
    static byte[] multipart(String metadata, byte[] file) {
        var out = new ByteArrayOutputStream();
        if (!metadata.isEmpty()) {
            out.writeBytes(("--XX\r\nContent-Disposition: form-data; name=\"metadata\"\r\n\r\n" + metadata + "\r\n")
                    .getBytes(UTF_8));
        }
        out.writeBytes("--XX\r\nContent-Disposition: form-data; name=\"f\"; filename=\"../x\"\r\n\r\n".getBytes(UTF_8));
        out.writeBytes(file);
        out.writeBytes("\r\n--XX--\r\n".getBytes(UTF_8));
        return out.toByteArray();
    }

    /// The same bytes for the same length.
    static byte[] random(int length) {
        var bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }

    static String text(HttpResponse<byte[]> response) {
        return new String(response.body(), ISO_8859_1);
    }
}
