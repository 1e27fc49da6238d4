package org.restheart.console;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HexFormat;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;
import org.restheart.http.Content;
import org.restheart.http.ContentCoding;
import org.restheart.http.Digests;
import org.restheart.http.Lease;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// A file in memory, plain and compressed. Immutable.
final class StaticFile {
    private final String type;
    private final String cacheControl;
    private final String tag;
    private final Content.Bytes identity;
    private final Content.Bytes gzip;

    StaticFile(String type, String cacheControl, byte[] bytes) {
        this.type = type;
        this.cacheControl = cacheControl;
        this.tag = digest(bytes);
        this.identity = Content.Bytes.of(bytes, Lease.CONSTANT);
        this.gzip = Content.Bytes.of(compressed(bytes), Lease.CONSTANT);
    }

    /// Such as `main.js`.
    ///
    /// @return its media type
    static String typeOf(String name) {
        return switch (name.substring(name.lastIndexOf('.') + 1)) {
            case "js" -> "text/javascript; charset=utf-8";
            case "css" -> "text/css; charset=utf-8";
            case "svg" -> "image/svg+xml";
            case "json" -> "application/json; charset=utf-8";
            case "html" -> "text/html; charset=utf-8";
            default -> throw new IllegalArgumentException("no media type is known for " + name);
        };
    }

    Response answer(Request request) {
        boolean coded = ContentCoding.accepted(request.headers()) == ContentCoding.GZIP;
        var etag = coded ? '"' + tag + "-gzip\"" : '"' + tag + '"'; // strong: other bytes, another tag
        boolean known = request.headers().isCurrent(etag);
        var answer = Response.status(known ? 304 : 200)
                .with("ETag", etag)
                .with("Cache-Control", cacheControl)
                .with("Vary", "Accept-Encoding");
        if (known) {
            return answer;
        }
        return coded
                ? answer.with("Content-Encoding", ContentCoding.GZIP.token()).with(type, gzip)
                : answer.with(type, identity);
    }

    private static byte[] compressed(byte[] bytes) {
        var coded = new ByteArrayOutputStream(bytes.length / 3 + 64);
        try (var coder = new GZIPOutputStream(coded) {
            {
                def.setLevel(Deflater.BEST_COMPRESSION);
            }
        }) {
            coder.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException("memory cannot fail", e);
        }
        return coded.toByteArray();
    }

    /// The first half of the SHA-256, in hexadecimal digits.
    static String digest(byte[] bytes) {
        return HexFormat.of().formatHex(Digests.sha256().digest(bytes), 0, 16);
    }
}
