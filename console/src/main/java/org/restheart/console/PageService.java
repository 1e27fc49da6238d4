package org.restheart.console;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.restheart.http.Cors;
import org.restheart.http.Fields;
import org.restheart.http.IoThreadService;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.http.Service.Traffic;

/// Serves an HTML page and its files from memory. Public, since they contain no data: the page sends requests
/// with the credentials of its user.
///
/// The page is at the root and revalidated on each request. Its files are in a folder named by the hash of all
/// of them, and cached without expiry, so that files of two releases are never mixed.
public final class PageService implements IoThreadService {

    static final Cors CORS = new Cors("GET", Cors.DEFAULT_HEADERS, "");

    private static final String IMMUTABLE = "public, max-age=31536000, immutable";
    private static final String REVALIDATE = "no-cache";

    private final String uri;
    private final int depth;
    private final Fields policy;
    private final Map<List<String>, StaticFile> files = new HashMap<>();

    /// @param contentPolicy the value of `Content-Security-Policy`
    /// @param page HTML that refers to its files as `FILES/name`
    /// @param contents the files by name
    PageService(String uri, String contentPolicy, String page, SortedMap<String, byte[]> contents) {
        this.uri = uri;
        this.depth = RequestPath.parse(uri).segments().size();
        this.policy = Fields.of(
                "Content-Security-Policy",
                contentPolicy,
                "X-Content-Type-Options",
                "nosniff",
                "Referrer-Policy",
                "no-referrer",
                "Cross-Origin-Opener-Policy",
                "same-origin",
                "Permissions-Policy",
                "camera=(), microphone=(), geolocation=()");
        var folder = hash(page, contents);
        contents.forEach((file, bytes) -> {
            var path = new ArrayList<>(List.of(folder));
            path.addAll(List.of(file.split("/", -1)));
            files.put(path, new StaticFile(StaticFile.typeOf(file), IMMUTABLE, bytes));
        });
        files.put(List.of(), revalidated("index.html", page.replace("FILES/", folder + "/")));
    }

    /// Adds a file beside the page.
    PageService with(String file, String text) {
        files.put(List.of(file), revalidated(file, text));
        return this;
    }

    private static StaticFile revalidated(String file, String text) {
        return new StaticFile(StaticFile.typeOf(file), REVALIDATE, text.getBytes(StandardCharsets.UTF_8));
    }

    private static String hash(String page, SortedMap<String, byte[]> contents) {
        var all = new ByteArrayOutputStream();
        all.writeBytes(page.getBytes(StandardCharsets.UTF_8));
        contents.forEach((file, bytes) -> {
            all.writeBytes(file.getBytes(StandardCharsets.UTF_8));
            all.writeBytes(bytes);
        });
        return StaticFile.digest(all.toByteArray());
    }

    /// A resource of the jar.
    static byte[] read(String path) {
        try (var in = PageService.class.getResourceAsStream(path)) {
            if (in == null) {
                throw new IllegalStateException(path + " is missing from the jar");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + path, e);
        }
    }

    static String readText(String path) {
        return new String(read(path), StandardCharsets.UTF_8);
    }

    @Override
    public Traffic traffic() {
        return Traffic.FILES;
    }

    @Override
    public Cors cors(Request request) {
        return CORS;
    }

    @Override
    public Response handle(Request request) {
        if (request.method() != Method.GET) {
            throw Problem.bare(ProblemCode.METHOD_NOT_ALLOWED).raise();
        }
        var segments = request.path().segments();
        var asked = segments.subList(depth, segments.size());
        if (asked.isEmpty() && !request.path().raw().endsWith("/")) {
            var query = request.query().raw();
            // relative, so that it is valid behind a proxy that adds a prefix
            var location = uri.substring(uri.lastIndexOf('/') + 1) + "/" + (query.isEmpty() ? "" : "?" + query);
            return Response.status(308).with("Location", location);
        }
        var file = files.get(asked);
        if (file == null) {
            throw Problem.of(ProblemCode.NOT_FOUND, "there is no such file").raise();
        }
        return file.answer(request).map(answer -> answer.with(policy));
    }
}
