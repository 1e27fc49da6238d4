package org.restheart.core.service;

import java.io.IOException;
import java.net.URLConnection;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.restheart.core.config.StaticResourceConfig;
import org.restheart.http.ByteRanges;
import org.restheart.http.ByteRanges.Slice;
import org.restheart.http.Content;
import org.restheart.http.Headers;
import org.restheart.http.Lease;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.http.Response.Ready;
import org.restheart.http.Service;
import org.restheart.http.Service.Traffic;

/// `GET` of files below a directory, which may be in a jar: public, with ranges and conditions, never listing,
/// and never leaving the directory, also not by symbolic links. Names that begin with a dot are not found, since
/// such files hold settings and secrets (`.env`, `.git`), but for `.well-known` (RFC 8615). Thread-safe.
public final class StaticResources implements Service {
    private static final DateTimeFormatter HTTP_DATE = DateTimeFormatter.RFC_1123_DATE_TIME.withZone(ZoneOffset.UTC);

    private final StaticResourceConfig config;
    private final Path directory;
    private final int depth;

    public StaticResources(StaticResourceConfig config, Path directory) {
        this.config = config;
        this.directory = directory;
        this.depth = RequestPath.parse(config.where()).segments().size();
    }

    @Override
    public Traffic traffic() {
        return Traffic.FILES;
    }

    @Override
    public boolean bypassesFilters() {
        return true; // tags and ranges are those of the file
    }

    @Override
    public Response handle(Request request) {
        return switch (request.method()) {
            case GET, HEAD, POST -> {
                request.requireThread();
                yield answer(request);
            }
            case PUT, DELETE, OPTIONS -> Response.status(405).with("Allow", "GET, HEAD, POST");
            case PATCH -> Response.status(501);
        };
    }

    private Ready answer(Request request) {
        try {
            var found = file(request.path());
            if (found.isEmpty()) {
                return Response.status(404);
            }
            if (Files.isDirectory(found.get())) {
                if (!request.path().raw().endsWith("/")) {
                    return Response.status(302)
                            .with("Location", request.path().raw().replaceFirst("^/+", "/") + "/");
                }
                found = inside(found.get().resolve(config.welcomeFile()));
            }
            return found.isPresent() && Files.isRegularFile(found.get())
                    ? send(request, found.get())
                    : Response.status(404);
        } catch (IOException e) {
            return Response.status(404); // gone meanwhile, or not readable
        }
    }

    private Optional<Path> file(RequestPath path) throws IOException {
        var file = directory;
        for (var segment : path.segments().subList(depth, path.segments().size())) {
            boolean isHidden = segment.startsWith(".") && !segment.equals(".well-known");
            if (isHidden || segment.matches("(?s).*[/\\\\\\x00].*")) {
                return Optional.empty();
            }
            file = file.resolve(segment);
        }
        return inside(file);
    }

    /// The file itself, if it exists and is below the directory.
    private Optional<Path> inside(Path file) throws IOException {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        var real = file.toRealPath();
        return real.startsWith(directory.toRealPath()) ? Optional.of(real) : Optional.empty();
    }

    private Ready send(Request request, Path file) throws IOException {
        var facts = Files.readAttributes(file, BasicFileAttributes.class);
        var changed = facts.lastModifiedTime().toInstant();
        var tag = "\"" + Long.toHexString(facts.size()) + "-" + Long.toHexString(version(file, facts)) + "\"";
        var head = Response.status(200)
                .with("ETag", tag)
                .with("Last-Modified", HTTP_DATE.format(changed))
                .with("Accept-Ranges", "bytes")
                .with("X-Content-Type-Options", "nosniff");
        if (config.cacheControl().isPresent()) {
            head = head.with("Cache-Control", config.cacheControl().get());
        }
        if (isKnown(request.headers(), tag, changed)) {
            return head.withStatus(304);
        }
        head = head.with("Content-Type", mediaType(file.getFileName().toString()));
        var slices = range(request.headers(), tag, changed, facts.size());
        if (slices.isEmpty() || slices.get().size() > 1) {
            return content(head, file, new Slice(0, facts.size()), request.lease());
        }
        if (slices.get().isEmpty()) {
            return Response.status(416).with("Content-Range", "bytes */" + facts.size());
        }
        var slice = slices.get().getFirst();
        return content(
                head.withStatus(206)
                        .with("Content-Range", "bytes " + slice.from() + "-" + (slice.to() - 1) + "/" + facts.size()),
                file,
                slice,
                request.lease());
    }

    /// Files in a jar all have the time at which it was made, which may be that of another one too.
    private static long version(Path file, BasicFileAttributes facts) throws IOException {
        return file.getFileSystem().equals(FileSystems.getDefault())
                ? facts.lastModifiedTime().to(TimeUnit.MICROSECONDS)
                : (Long) Files.getAttribute(file, "zip:crc");
    }

    private static boolean isKnown(Headers headers, String tag, Instant changed) {
        if (headers.has("If-None-Match")) {
            return headers.isCurrent(tag);
        }
        return headers.first("If-Modified-Since")
                .flatMap(StaticResources::date)
                .filter(since -> !changed.truncatedTo(ChronoUnit.SECONDS).isAfter(since))
                .isPresent();
    }

    private static Optional<Instant> date(String text) {
        try {
            return Optional.of(Instant.from(HTTP_DATE.parse(text)));
        } catch (DateTimeParseException _) {
            return Optional.empty();
        }
    }

    /// A range of what the client has a part of, which must not have changed.
    private static Optional<List<Slice>> range(Headers headers, String tag, Instant changed, long length) {
        var condition = headers.first("If-Range");
        boolean same = condition.isEmpty()
                || condition.get().equals(tag)
                || date(condition.get())
                        .filter(changed.truncatedTo(ChronoUnit.SECONDS)::equals)
                        .isPresent();
        return same ? headers.first("Range").flatMap(header -> ByteRanges.of(header, length)) : Optional.empty();
    }

    private static Ready content(Ready head, Path file, Slice slice, Lease lease) throws IOException {
        return head.with("Content-Length", Long.toString(slice.length()))
                .with(new Content.Streamed(new Part(Files.newByteChannel(file), slice), 2 * Part.CHUNK, lease));
    }

    /// A part of a file, read while it is sent.
    private static final class Part implements Content.Source {
        private static final int CHUNK = 64 << 10;

        private final SeekableByteChannel file;
        private final long to;
        private long at;

        Part(SeekableByteChannel file, Slice slice) throws IOException {
            this.file = file.position(slice.from());
            this.at = slice.from();
            this.to = slice.to();
        }

        @Override
        public ByteBuffer next() throws IOException {
            var buffer = ByteBuffer.allocate((int) Math.min(CHUNK, to - at));
            while (buffer.hasRemaining()) {
                int read = file.read(buffer);
                if (read < 0) {
                    throw new IOException("the file became shorter while it was sent");
                }
                at += read;
            }
            return buffer.flip();
        }

        @Override
        public void close() {
            try {
                file.close();
            } catch (IOException _) {
                // it was only read
            }
        }
    }

    private static String mediaType(String name) {
        return switch (name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT)) {
            case "html", "htm" -> "text/html; charset=utf-8";
            case "css" -> "text/css; charset=utf-8";
            case "js", "mjs" -> "text/javascript; charset=utf-8";
            case "json", "map" -> "application/json";
            case "webmanifest" -> "application/manifest+json";
            case "svg" -> "image/svg+xml";
            case "webp" -> "image/webp";
            case "avif" -> "image/avif";
            case "ico" -> "image/x-icon";
            case "woff" -> "font/woff";
            case "woff2" -> "font/woff2";
            case "wasm" -> "application/wasm";
            case "md" -> "text/markdown; charset=utf-8";
            case "txt" -> "text/plain; charset=utf-8";
            default ->
                Optional.ofNullable(URLConnection.guessContentTypeFromName(name))
                        .orElse("application/octet-stream");
        };
    }
}
