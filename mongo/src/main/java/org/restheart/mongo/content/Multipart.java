package org.restheart.mongo.content;

import static org.restheart.mongo.content.Refusals.invalid;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// Splits `multipart/form-data` (RFC 7578, on RFC 2046, 5.1) into its parts, without copying their content.
/// Confined to one request.
public final class Multipart {
    private static final Pattern BOUNDARY =
            Pattern.compile(";\\s*boundary=(?:\"([^\"]{1,70})\"|([^;\\s\"]{1,70}))", Pattern.CASE_INSENSITIVE);
    private static final Pattern PARAMETER = Pattern.compile(
            ";\\s*(name|filename)\\s*=\\s*(?:\"((?:[^\"\\\\]|\\\\.)*)\"|([^;\\s\"]*))", Pattern.CASE_INSENSITIVE);
    private static final byte[] BLANK_LINE = "\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int MAX_HEADERS = 8 * 1024;

    private final byte[] body;
    private final byte[] delimiter;
    private int at;

    /// One part.
    ///
    /// @param name of the field
    /// @param fileName present for files
    /// @param content a view of the request's body
    public record Part(String name, Optional<String> fileName, ByteBuffer content) {}

    /// The header of a part.
    ///
    /// @param name of the field
    /// @param fileName present for files
    public record Head(String name, Optional<String> fileName) {}

    private Multipart(byte[] body, String boundary) {
        this.body = body;
        this.delimiter = ("\r\n--" + boundary).getBytes(StandardCharsets.US_ASCII);
    }

    /// @param mediaType the request's, with its boundary
    /// @param maxParts most parts; content with more is refused
    /// @throws org.restheart.http.ProblemException 400
    public static List<Part> parse(String mediaType, byte[] body, int maxParts) {
        if (body.length == 0) {
            return List.of();
        }
        return new Multipart(body, boundary(mediaType)).parts(maxParts);
    }

    /// @param mediaType the request's
    /// @throws org.restheart.http.ProblemException 400 if it has none
    public static String boundary(String mediaType) {
        var boundary = BOUNDARY.matcher(mediaType);
        if (!boundary.find()) {
            throw invalid("multipart/form-data without a boundary");
        }
        return boundary.group(1) == null ? boundary.group(2) : boundary.group(1);
    }

    private List<Part> parts(int maxParts) {
        var parts = new ArrayList<Part>();
        at = matches(body, delimiter, 2, 0) ? delimiter.length - 2 : after(delimiter, "no part");
        while (!startsWith("--")) {
            if (parts.size() == maxParts) {
                throw invalid("more than " + maxParts + " parts in multipart/form-data");
            }
            int headers = lineEnd();
            at = headers;
            int content = startsWith("\r\n") ? headers + 2 : after(BLANK_LINE, "a part without a blank line");
            if (content - headers > MAX_HEADERS) {
                throw invalid("the header of a part is too long");
            }
            at = content - 2; // the delimiter of an empty part shares the line break that ends the header
            at = after(delimiter, "a part without an end");
            int end = Math.max(content, at - delimiter.length);
            var part = part(new String(body, headers, content - headers, StandardCharsets.UTF_8), content, end);
            part.ifPresent(parts::add);
        }
        return parts;
    }

    /// The position after the line break that follows a delimiter.
    private int lineEnd() {
        while (at < body.length && (body[at] == ' ' || body[at] == '\t')) {
            at++;
        }
        if (!startsWith("\r\n")) {
            throw invalid("multipart/form-data: a boundary is not at the end of its line");
        }
        return at + 2;
    }

    private Optional<Part> part(String headers, int content, int end) {
        var view = ByteBuffer.wrap(body, content, end - content).slice().asReadOnlyBuffer();
        return head(headers).map(head -> new Part(head.name(), head.fileName(), view));
    }

    /// The parsed header of a part; empty if it has no name.
    public static Optional<Head> head(String headers) {
        var disposition = headers.lines()
                .filter(line -> line.toLowerCase(Locale.ROOT).startsWith("content-disposition:"))
                .findFirst();
        if (disposition.isEmpty()) {
            return Optional.empty();
        }
        Optional<String> name = Optional.empty();
        Optional<String> fileName = Optional.empty();
        var parameter = PARAMETER.matcher(disposition.get());
        while (parameter.find()) {
            var value = parameter.group(2) == null
                    ? parameter.group(3)
                    : parameter.group(2).replaceAll("\\\\(.)", "$1");
            if (parameter.group(1).equalsIgnoreCase("name")) {
                name = Optional.of(value);
            } else {
                fileName = Optional.of(value);
            }
        }
        var file = fileName;
        return name.map(field -> new Head(field, file));
    }

    private boolean startsWith(String text) {
        return matches(body, text.getBytes(StandardCharsets.US_ASCII), 0, at);
    }

    /// The end of the next occurrence of `pattern`.
    private int after(byte[] pattern, String otherwise) {
        for (int i = at; i <= body.length - pattern.length; i++) {
            if (body[i] == pattern[0] && matches(body, pattern, 0, i)) {
                return i + pattern.length;
            }
        }
        throw invalid("multipart/form-data: " + otherwise);
    }

    private static boolean matches(byte[] in, byte[] pattern, int from, int at) {
        if (in.length - at < pattern.length - from) {
            return false;
        }
        for (int i = from; i < pattern.length; i++) {
            if (in[at + i - from] != pattern[i]) {
                return false;
            }
        }
        return true;
    }
}
