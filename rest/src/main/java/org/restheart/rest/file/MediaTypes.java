package org.restheart.rest.file;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.restheart.http.Accepted;
import org.restheart.text.Words;

/// Guesses the media type of content from its first bytes (WHATWG MIME Sniffing, 6), never from a name.
final class MediaTypes {
    /// The number of bytes that are checked.
    static final int SIGNIFICANT = 1024;

    static final String UNKNOWN = "application/octet-stream";

    private static final String PDF = "application/pdf";

    private static final Pattern TYPE =
            Pattern.compile("[\\w!#$&^+.-]+/[\\w!#$&^+.-]+([ \\t]*;[ \\t]*[\\w.-]+=[\\w.-]+)*");

    /// Types in which no browser runs a script, whatever the content is. All other types count as active, also
    /// unknown ones: browsers take more for markup than is written anywhere, such as `text/xsl` and whatever ends
    /// with `+xml`.
    private static final Set<String> INERT = Words.of("""
            image/png image/jpeg image/gif image/webp image/avif image/bmp image/tiff audio/aac audio/flac audio/mp4
            audio/mpeg audio/ogg audio/wav audio/webm video/mp4 video/mpeg video/ogg video/quicktime video/webm
            """);

    private static final String INERT_POLICY =
            "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'";
    private static final String ACTIVE_POLICY =
            "sandbox; default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'";

    private record Magic(int at, String bytes, String type) {}

    private static final List<Magic> MAGIC = List.of(
            new Magic(0, "\u0089PNG\r\n\u001a\n", "image/png"),
            new Magic(0, "\u00ff\u00d8\u00ff", "image/jpeg"),
            new Magic(0, "GIF87a", "image/gif"),
            new Magic(0, "GIF89a", "image/gif"),
            new Magic(8, "WEBP", "image/webp"),
            new Magic(0, "BM", "image/bmp"),
            new Magic(0, "II*\0", "image/tiff"),
            new Magic(0, "MM\0*", "image/tiff"),
            new Magic(0, "%PDF-", PDF),
            new Magic(0, "PK\u0003\u0004", "application/zip"),
            new Magic(0, "\u001f\u008b", "application/gzip"),
            new Magic(0, "ID3", "audio/mpeg"),
            new Magic(0, "\u00ff\u00fb", "audio/mpeg"),
            new Magic(0, "OggS", "application/ogg"),
            new Magic(0, "fLaC", "audio/flac"),
            new Magic(8, "WAVE", "audio/wav"),
            new Magic(4, "ftyp", "video/mp4"),
            new Magic(0, "\u001aE\u00df\u00a3", "video/webm"));

    private MediaTypes() {}

    static String guess(byte[] firstBytes) {
        var bytes = new String(firstBytes, ISO_8859_1);
        for (var magic : MAGIC) {
            boolean text = magic.bytes().equals("BM");
            if (bytes.startsWith(magic.bytes(), magic.at()) && !(text && isText(firstBytes))) {
                return magic.type();
            }
        }
        return isText(firstBytes) ? text(bytes) : UNKNOWN;
    }

    private static String text(String bytes) {
        var text = bytes.replaceFirst("^\u00ef\u00bb\u00bf", "").strip().toLowerCase(Locale.ROOT);
        if (text.startsWith("<!doctype html") || text.startsWith("<html")) {
            return "text/html";
        }
        if (text.startsWith("<svg") || (text.startsWith("<?xml") && text.contains("<svg"))) {
            return "image/svg+xml";
        }
        return text.startsWith("<?xml") ? "application/xml" : "text/plain";
    }

    /// UTF-8 without control characters; the last character may be cut off.
    private static boolean isText(byte[] firstBytes) {
        if (firstBytes.length == 0) {
            return false;
        }
        for (byte b : firstBytes) {
            if (b >= 0 && b < ' ' && b != '\n' && b != '\r' && b != '\t' && b != '\f') {
                return false;
            }
        }
        return !UTF_8.newDecoder()
                .decode(ByteBuffer.wrap(firstBytes), CharBuffer.allocate(firstBytes.length), false)
                .isError();
    }

    /// The stored type, if it is valid in a header and describes all of the content: parts of a `multipart` type
    /// have headers of their own.
    static String served(String stored) {
        return isValid(stored) && !Accepted.essence(stored).startsWith("multipart/") ? stored : UNKNOWN;
    }

    /// Whether it is valid in a header.
    static boolean isValid(String type) {
        return type.length() <= 255 && TYPE.matcher(type).matches();
    }

    /// The `Content-Security-Policy` for stored content of a type. Clients have chosen both content and type,
    /// and the browser shows it in this server's origin, with the credentials of its user. Empty for PDF:
    /// viewers would not work under a policy, and run no script in this origin.
    static Optional<String> policy(String type) {
        var name = Accepted.essence(type);
        return name.equals(PDF) ? Optional.empty() : Optional.of(INERT.contains(name) ? INERT_POLICY : ACTIVE_POLICY);
    }
}
