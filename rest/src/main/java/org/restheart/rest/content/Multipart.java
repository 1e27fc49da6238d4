package org.restheart.rest.content;

import static org.restheart.rest.content.DataContent.invalid;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.commons.fileupload2.core.FileUploadSizeException;
import org.apache.commons.fileupload2.core.MultipartInput;
import org.restheart.http.Request;

/// Splits `multipart/form-data` (RFC 7578, on RFC 2046, 5.1) into its parts.
public final class Multipart {
    private static final Pattern BOUNDARY =
            Pattern.compile(";\\s*boundary=(?:\"([^\"]{1,70})\"|([^;\\s\"]{1,70}))", Pattern.CASE_INSENSITIVE);
    private static final Pattern PARAMETER = Pattern.compile(
            ";\\s*(name|filename)\\s*=\\s*(?:\"((?:[^\"\\\\]|\\\\.)*)\"|([^;\\s\"]*))", Pattern.CASE_INSENSITIVE);
    private static final Pattern JSON = Pattern.compile(
            "^content-type:\\s*application/json\\s*(;|$)", Pattern.CASE_INSENSITIVE | Pattern.MULTILINE);
    private static final int MAX_HEADERS = 8 * 1024;
    private static final int BUFFER = 64 * 1024;

    /// More than a delimiter.
    private static final int LEAST_BUFFER = 1024;

    private Multipart() {}

    /// @param content empty for files
    @SuppressWarnings("ArrayRecordComponent") // passed on, never compared
    record Part(Head head, byte[] content) {}

    /// @param fileName present for files, and for what browsers send of a `Blob`
    /// @param isJson whether its media type is that of JSON
    public record Head(String name, Optional<String> fileName, boolean isJson) {
        boolean isValue() {
            return fileName.isEmpty() || isJson;
        }
    }

    public static boolean isIn(Request request) {
        return type(request).toLowerCase(Locale.ROOT).startsWith("multipart/form-data");
    }

    /// @throws org.restheart.http.ProblemException 400
    public static boolean hasFiles(Request request) {
        return isIn(request)
                && parse(type(request), request.body().bytes(), Form.MAX_FIELDS).stream()
                        .anyMatch(part -> !part.head().isValue());
    }

    private static String type(Request request) {
        return request.headers().first("Content-Type").orElse("");
    }

    /// @param maxParts most parts; content with more is refused
    /// @throws org.restheart.http.ProblemException 400
    static List<Part> parse(String mediaType, byte[] body, int maxParts) {
        var parts = new ArrayList<Part>();
        if (body.length == 0) {
            return parts;
        }
        try {
            var delimiter = "--" + boundary(mediaType);
            var input = input(mediaType, new ByteArrayInputStream(body), Math.clamp(body.length, LEAST_BUFFER, BUFFER));
            if (!input.skipPreamble()) {
                requireEnd(body, delimiter + "--");
                return parts;
            }
            do {
                var head = head(headers(input));
                if (head.isPresent() && parts.size() == maxParts) {
                    throw invalid("more than " + maxParts + " parts in multipart/form-data");
                }
                var content = new ByteArrayOutputStream();
                input.readBodyData(head.filter(Head::isValue).isPresent() ? content : OutputStream.nullOutputStream());
                requireNoDelimiter(content, delimiter);
                head.ifPresent(part -> parts.add(new Part(part, content.toByteArray())));
            } while (input.readBoundary());
            return parts;
        } catch (IOException e) {
            throw invalid("multipart/form-data: " + e.getMessage());
        }
    }

    /// Content without parts is nothing but the last boundary.
    private static void requireEnd(byte[] body, String boundary) {
        if (!new String(body, StandardCharsets.ISO_8859_1).startsWith(boundary)) {
            throw invalid("multipart/form-data: no part");
        }
    }

    /// A part without content whose header ends with the line break of the next delimiter (RFC 2046, 5.1.1, allows it)
    /// would contain the next part.
    private static void requireNoDelimiter(ByteArrayOutputStream content, String delimiter) {
        if (content.size() >= delimiter.length()
                && content.toString(StandardCharsets.ISO_8859_1).startsWith(delimiter)) {
            throw invalid("multipart/form-data: a part without content needs a line break before the next boundary");
        }
    }

    /// @param mediaType the request's, with its boundary
    /// @throws org.restheart.http.ProblemException 400 if it has none
    public static MultipartInput input(String mediaType, InputStream content) throws IOException {
        return input(mediaType, content, BUFFER);
    }

    private static MultipartInput input(String mediaType, InputStream content, int buffer) throws IOException {
        var builder = MultipartInput.builder();
        builder.setBoundary(boundary(mediaType).getBytes(StandardCharsets.ISO_8859_1));
        builder.setMaxPartHeaderSize(MAX_HEADERS);
        builder.setInputStream(content);
        builder.setBufferSize(buffer);
        var input = builder.get();
        input.setHeaderCharset(StandardCharsets.UTF_8);
        return input;
    }

    /// @throws org.restheart.http.ProblemException 400 if it is too long
    public static String headers(MultipartInput input) throws IOException {
        try {
            return input.readHeaders();
        } catch (FileUploadSizeException _) {
            throw invalid("the header of a part is too long");
        }
    }

    private static String boundary(String mediaType) {
        var boundary = BOUNDARY.matcher(mediaType);
        if (!boundary.find()) {
            throw invalid("multipart/form-data without a boundary");
        }
        return boundary.group(1) == null ? boundary.group(2) : boundary.group(1);
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
        boolean isJson = JSON.matcher(headers).find();
        return name.map(field -> new Head(field, file, isJson));
    }
}
