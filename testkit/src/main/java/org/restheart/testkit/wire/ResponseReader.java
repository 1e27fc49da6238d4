package org.restheart.testkit.wire;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.restheart.testkit.wire.WireRequest.Header;

/// Reads responses, RFC 9112, with the three kinds of body length.
public final class ResponseReader {
    private static final Pattern STATUS_LINE = Pattern.compile("HTTP/1\\.[01] (\\d{3})(?: .*)?");
    private static final int MAX_LINE = 1 << 20;
    private static final int MAX_BODY = 1 << 28;

    private final InputStream in;

    public ResponseReader(InputStream in) {
        this.in = in;
    }

    /// The next one that is not interim.
    ///
    /// @param toHead whether it has no content, whatever its fields say
    WireResponse read(boolean toHead) throws IOException {
        var response = next(toHead);
        while (response.status() < 200 && response.status() != 101) {
            response = next(toHead);
        }
        return response;
    }

    /// The next one, which may be interim.
    public WireResponse next(boolean toHead) throws IOException {
        var text = line();
        var line = STATUS_LINE.matcher(text);
        if (!line.matches()) {
            throw new IOException("not a status line: " + text);
        }
        var status = Integer.parseInt(line.group(1));
        var response = new WireResponse(status, headers(), new byte[0]);
        var bare = toHead || status < 200 || status == 204 || status == 304;
        return bare ? response : new WireResponse(status, response.headers(), body(response));
    }

    private List<Header> headers() throws IOException {
        var headers = new ArrayList<Header>();
        for (var line = line(); !line.isEmpty(); line = line()) {
            var colon = line.indexOf(':');
            if (colon < 1) {
                throw new IOException("not a header: " + line);
            }
            headers.add(new Header(
                    line.substring(0, colon), line.substring(colon + 1).strip()));
        }
        return List.copyOf(headers);
    }

    private byte[] body(WireResponse head) throws IOException {
        if (head.header("Transfer-Encoding").filter("chunked"::equalsIgnoreCase).isPresent()) {
            return chunks();
        }
        var length = head.header("Content-Length");
        return length.isPresent() ? exactly(Integer.parseInt(length.get())) : in.readNBytes(MAX_BODY);
    }

    private byte[] chunks() throws IOException {
        var body = new ByteArrayOutputStream();
        while (body.size() < MAX_BODY) {
            var size = Integer.parseInt(line().replaceFirst(";.*", "").strip(), 16);
            if (size == 0) {
                headers(); // trailers
                return body.toByteArray();
            }
            body.write(exactly(size));
            line();
        }
        throw new IOException("the body is larger than " + MAX_BODY + " bytes");
    }

    private byte[] exactly(int length) throws IOException {
        var bytes = in.readNBytes(Math.min(length, MAX_BODY));
        if (bytes.length != length) {
            throw new EOFException("the body ended after " + bytes.length + " of " + length + " bytes");
        }
        return bytes;
    }

    /// One line without its end.
    public String line() throws IOException {
        var line = new ByteArrayOutputStream();
        for (var b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0 || line.size() > MAX_LINE) {
                throw new EOFException("the response ended in the line: " + line.toString(StandardCharsets.UTF_8));
            }
            line.write(b);
        }
        return line.toString(StandardCharsets.UTF_8).stripTrailing();
    }
}
