package org.restheart.console;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.console.ConsoleConfig.Places;
import org.restheart.http.Cors;
import org.restheart.http.Fields;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.http.Service;

/// `GET /_console/`: the files of the console, from memory. Public, since they hold no data.
///
/// The page is at the root and revalidated on each request; all files that it names are in a folder named by the hash
/// of all files, and cached without expiry. So files of two releases are never mixed.
public final class ConsoleService implements Service {
    private static final String IMMUTABLE = "public, max-age=31536000, immutable";
    private static final String REVALIDATE = "no-cache";

    /// References in the page. It names all files, so that browsers load them in parallel.
    private static final Pattern NAMED = Pattern.compile("(?:href|src)=\"FILES/([a-zA-Z0-9./_-]+)\"");

    /// Scripts, styles and requests of this origin only; no markup from strings.
    private static final Fields POLICY = Fields.of(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
                    + "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; "
                    + "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
            "X-Content-Type-Options",
            "nosniff",
            "Referrer-Policy",
            "no-referrer",
            "Cross-Origin-Opener-Policy",
            "same-origin",
            "Permissions-Policy",
            "camera=(), microphone=(), geolocation=()");

    private final String uri;
    private final int depth;
    private final Map<List<String>, StaticFile> files = new HashMap<>();

    public ConsoleService(ConsoleConfig config, Places places) {
        this.uri = config.uri();
        this.depth = RequestPath.parse(uri).segments().size();
        var page = new String(read("index.html"), StandardCharsets.UTF_8);
        var contents = contents(page);
        var folder = hash(page, contents);
        contents.forEach((name, bytes) -> {
            var path = new ArrayList<>(List.of(folder));
            path.addAll(List.of(name.split("/", -1)));
            files.put(path, new StaticFile(StaticFile.typeOf(name), IMMUTABLE, bytes));
        });
        files.put(List.of(), page(page.replace("FILES/", folder + "/")));
        var json = JsonEncoder.of(JsonMode.DEFAULT).encodeToString(config.toDocument(places));
        files.put(
                List.of("config.json"),
                new StaticFile(StaticFile.typeOf("config.json"), REVALIDATE, json.getBytes(StandardCharsets.UTF_8)));
    }

    private static StaticFile page(String html) {
        return new StaticFile(StaticFile.typeOf("index.html"), REVALIDATE, html.getBytes(StandardCharsets.UTF_8));
    }

    private static Map<String, byte[]> contents(String page) {
        var contents = new HashMap<String, byte[]>();
        var names = NAMED.matcher(page);
        while (names.find()) {
            contents.computeIfAbsent(names.group(1), ConsoleService::read);
        }
        return contents;
    }

    private static String hash(String page, Map<String, byte[]> contents) {
        var all = new ByteArrayOutputStream();
        all.writeBytes(page.getBytes(StandardCharsets.UTF_8));
        contents.keySet().stream().sorted().forEach(name -> {
            all.writeBytes(name.getBytes(StandardCharsets.UTF_8));
            all.writeBytes(contents.getOrDefault(name, new byte[0]));
        });
        return StaticFile.digest(all.toByteArray());
    }

    private static byte[] read(String name) {
        try (var in = ConsoleService.class.getResourceAsStream("/console/" + name)) {
            if (in == null) {
                throw new IllegalStateException("the console's page names " + name + ", which is missing");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + name, e);
        }
    }

    @Override
    public String name() {
        return "console";
    }

    @Override
    public Cors cors(Request request) {
        return new Cors("GET", Cors.DEFAULT_HEADERS, "");
    }

    @Override
    public boolean startsOnIoThread(Request request) {
        return true;
    }

    @Override
    public Response handle(Request request) {
        if (request.method() != Method.GET) {
            throw Problem.bare(ProblemCode.METHOD_NOT_ALLOWED).raise();
        }
        var segments = request.path().segments();
        var asked = segments.subList(depth, segments.size());
        if (asked.isEmpty() && !request.path().raw().endsWith("/")) {
            // relative, so that it is valid behind a proxy that adds a prefix
            return Response.status(308).with("Location", uri.substring(uri.lastIndexOf('/') + 1) + "/");
        }
        var file = files.get(asked);
        if (file == null) {
            throw Problem.of(ProblemCode.NOT_FOUND, "the console has no such file")
                    .raise();
        }
        return file.answer(request).map(answer -> answer.with(POLICY));
    }
}
