package org.restheart.console;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.restheart.http.Cors;
import org.restheart.http.Fields;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.http.Service;

/// `GET /_graphiql/?app=…`: GraphiQL, a page to write and try operations of GraphQL apps, from memory. Public, since it
/// holds no data: it sends the requests of its user. Everything it needs is served here.
public final class GraphiqlService implements Service {
    private static final String UNCHANGING = "public, max-age=31536000, immutable";
    private static final String ASK_AGAIN = "no-cache";
    private static final String WEBJARS = "/META-INF/resources/webjars/";

    /// Scripts, styles and requests of this origin only. Fonts and images are within the styles.
    private static final Fields POLICY = Fields.of(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self' data:; "
                    + "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
            "X-Content-Type-Options",
            "nosniff",
            "Referrer-Policy",
            "no-referrer",
            "Cross-Origin-Opener-Policy",
            "same-origin");

    /// The files that the page names, and where they are in the class path.
    private static final Map<String, String> SOURCES = Map.of(
            "page.js", "/graphiql/page.js",
            "page.css", "/graphiql/page.css",
            "graphiql.min.js", WEBJARS + "graphiql/2.4.7/graphiql.min.js",
            "graphiql.min.css", WEBJARS + "graphiql/2.4.7/graphiql.min.css",
            "react.production.min.js", WEBJARS + "react/18.3.1/umd/react.production.min.js",
            "react-dom.production.min.js", WEBJARS + "react-dom/18.3.1/umd/react-dom.production.min.js");

    private final String uri;
    private final int depth;
    private final Map<List<String>, StaticFile> files = new HashMap<>();

    /// @param uri of the page
    /// @param graphql the path below which apps are
    public GraphiqlService(String uri, String graphql) {
        this.uri = uri;
        this.depth = RequestPath.parse(uri).segments().size();
        var page = new String(read("/graphiql/index.html"), StandardCharsets.UTF_8);
        var all = new ArrayList<String>(List.of(page));
        var contents = new HashMap<String, byte[]>();
        SOURCES.keySet().stream().sorted().forEach(name -> {
            var bytes = read(SOURCES.getOrDefault(name, name));
            contents.put(name, bytes);
            all.add(StaticFile.digest(bytes));
        });
        var folder = StaticFile.digest(String.join("\n", all).getBytes(StandardCharsets.UTF_8));
        contents.forEach((name, bytes) ->
                files.put(List.of(folder, name), new StaticFile(StaticFile.typeOf(name), UNCHANGING, bytes)));
        var html = page.replace("FILES/", folder + "/")
                .replace("OWN-URI", escaped(uri))
                .replace("GRAPHQL-URI", escaped(graphql));
        files.put(
                List.of(),
                new StaticFile(StaticFile.typeOf("index.html"), ASK_AGAIN, html.getBytes(StandardCharsets.UTF_8)));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("\"", "&quot;").replace("<", "&lt;");
    }

    private static byte[] read(String path) {
        try (var in = GraphiqlService.class.getResourceAsStream(path)) {
            if (in == null) {
                throw new IllegalStateException("GraphiQL needs " + path + ", which is missing");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + path, e);
        }
    }

    @Override
    public String name() {
        return "graphiql";
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
            var query = request.query().raw();
            return Response.status(308)
                    .with(
                            "Location",
                            uri.substring(uri.lastIndexOf('/') + 1) + "/" + (query.isEmpty() ? "" : "?" + query));
        }
        var file = files.get(asked);
        if (file == null) {
            throw Problem.of(ProblemCode.NOT_FOUND, "GraphiQL has no such file").raise();
        }
        return file.answer(request).map(answer -> answer.with(POLICY));
    }
}
