package org.restheart.mongo.file;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/// Guesses the media type of content from its first bytes (WHATWG MIME Sniffing, 6), never from a name.
final class MediaTypes {
    /// The number of bytes that are checked.
    static final int SIGNIFICANT = 1024;

    static final String UNKNOWN = "application/octet-stream";

    private static final Pattern TYPE = Pattern.compile("[\\w!#$&^+.-]+/[\\w!#$&^+.-]+(\\s*;\\s*[\\w.-]+=[\\w.-]+)*");

    /// Types in which browsers run scripts.
    private static final Set<String> ACTIVE =
            Set.of("text/html", "application/xhtml+xml", "image/svg+xml", "application/xml", "text/xml");

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
            new Magic(0, "%PDF-", "application/pdf"),
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

    static String guess(byte[] begin) {
        var bytes = new String(begin, ISO_8859_1);
        for (var magic : MAGIC) {
            boolean text = magic.bytes().equals("BM");
            if (bytes.startsWith(magic.bytes(), magic.at()) && !(text && isText(begin))) {
                return magic.type();
            }
        }
        return isText(begin) ? text(bytes) : UNKNOWN;
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
    private static boolean isText(byte[] begin) {
        if (begin.length == 0) {
            return false;
        }
        for (byte b : begin) {
            if (b >= 0 && b < ' ' && b != '\n' && b != '\r' && b != '\t' && b != '\f') {
                return false;
            }
        }
        return !UTF_8.newDecoder()
                .decode(ByteBuffer.wrap(begin), CharBuffer.allocate(begin.length), false)
                .isError();
    }

    /// Whether it is valid in a header.
    static boolean isValid(String type) {
        return type.length() <= 255 && TYPE.matcher(type).matches();
    }

    static boolean isActive(String type) {
        var name = type.toLowerCase(Locale.ROOT);
        int end = name.indexOf(';');
        return ACTIVE.contains((end < 0 ? name : name.substring(0, end)).strip());
    }
}
