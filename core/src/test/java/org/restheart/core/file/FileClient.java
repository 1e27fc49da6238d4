package org.restheart.core.file;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpResponse;
import java.util.Random;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.core.security.TestGateway;
import org.restheart.testkit.TestClient;

/// A client of a gateway that sends and receives the content of files.
record FileClient(TestGateway gateway) {
    static final String MULTIPART = "multipart/form-data; boundary=XX";

    /// @param headers names and values in turn
    HttpResponse<byte[]> send(String user, String method, String path, byte[] content, String... headers) {
        return gateway.as(user).with(headers).sendBytes(method, path, content);
    }

    <T> HttpResponse<T> send(
            String user,
            String method,
            String path,
            BodyPublisher content,
            HttpResponse.BodyHandler<T> received,
            String... headers) {
        return gateway.as(user).with(headers).send(method, path, content, received);
    }

    HttpResponse<byte[]> upload(String user, String bucket, String metadata, byte[] file) {
        return send(user, "POST", "/" + bucket + ".files", multipart(metadata, file), "Content-Type", MULTIPART);
    }

    /// Stores content by itself, without metadata.
    HttpResponse<byte[]> raw(String path, byte[] content) {
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
