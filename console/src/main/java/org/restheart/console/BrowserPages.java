package org.restheart.console;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.http.Bundled;
import org.restheart.http.Content;
import org.restheart.http.ContentCoding;
import org.restheart.http.Cors;
import org.restheart.http.Digests;
import org.restheart.http.Fields;
import org.restheart.http.IoThreadService;
import org.restheart.http.Lease;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.http.Service.Traffic;
import org.restheart.http.module.ServiceModule.Context;
import org.restheart.http.module.ServicePages;

/// The pages for browsers. Everything that they need is served here; they send requests with the credentials of their
/// users.
public final class BrowserPages implements ServicePages {
    /// References in the console's page. It names all files, so that browsers load them in parallel.
    private static final Pattern NAMED = Pattern.compile("(?:href|src)=\"FILES/([a-zA-Z0-9./_-]+)\"");

    /// Pages of the documentation among the contents that the console lists: its source is their list.
    private static final Pattern DOCUMENTED = Pattern.compile("\\[\"((?:[a-z-]+/)?[a-z-]+)\", \"[A-Z]");

    /// Scripts, styles and requests of this origin only; no markup from strings.
    private static final String CONSOLE_POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; "
            + "img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; base-uri 'none'; "
            + "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

    /// Scripts, styles and requests of this origin only. Fonts and images are within the styles.
    private static final String GRAPHIQL_POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; "
            + "img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; "
            + "form-action 'self'; frame-ancestors 'none'";

    /// Scripts and requests of this origin only. Swagger UI writes styles into attributes.
    private static final String SWAGGER_POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
                    + "img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
                    + "form-action 'none'";

    /// Where the class path has files of webjars.
    private static final String WEBJARS = "/META-INF/resources/webjars/";

    private static final String PATHS = "/console/app/paths.js";

    private static final Map<String, String> GRAPHIQL = Map.of(
            "paths.js", PATHS,
            "page.js", "/graphiql/page.js",
            "page.css", "/graphiql/page.css",
            "graphiql.min.js", WEBJARS + "graphiql/2.4.7/graphiql.min.js",
            "graphiql.min.css", WEBJARS + "graphiql/2.4.7/graphiql.min.css",
            "react.production.min.js", WEBJARS + "react/18.3.1/umd/react.production.min.js",
            "react-dom.production.min.js", WEBJARS + "react-dom/18.3.1/umd/react-dom.production.min.js");

    private static final Map<String, String> SWAGGER = Map.of(
            "paths.js",
            PATHS,
            "page.js",
            "/swagger-ui/page.js",
            "page.css",
            "/swagger-ui/page.css",
            "swagger-ui-bundle.js",
            WEBJARS + "swagger-ui/5.35.0/swagger-ui-bundle.js",
            "swagger-ui.css",
            WEBJARS + "swagger-ui/5.35.0/swagger-ui.css");

    /// `GET /_console/`: the console, which is a client of the public API.
    static Service console(ConsoleConfig config, Context context) {
        var document = config.toDocument(context);
        return new LazyPage(() -> {
            var page = PageService.readText("/console/index.html");
            var contents = new TreeMap<String, byte[]>();
            var names = NAMED.matcher(page);
            while (names.find()) {
                contents.computeIfAbsent(names.group(1), name -> PageService.read("/console/" + name));
            }
            var service = new PageService(config.uri(), CONSOLE_POLICY, page, contents);
            service.add("config.json", JsonEncoder.of(JsonMode.DEFAULT).encodeToString(document));
            var docs = DOCUMENTED.matcher(PageService.readText("/console/app/docs.js"));
            while (docs.find()) {
                var name = docs.group(1) + ".md";
                if (PageService.class.getResource("/console-docs/" + name) != null) {
                    service.add("docs/" + name, PageService.readText("/console-docs/" + name));
                }
            }
            return service;
        });
    }

    /// `GET /_graphiql/?app=…`: GraphiQL, to write and try operations of GraphQL apps.
    ///
    /// @param uri of the page
    /// @param graphql the path below which apps are
    static Service graphiql(String uri, String graphql) {
        return page(uri, GRAPHIQL_POLICY, "/graphiql/index.html", "GRAPHQL-URI", graphql, GRAPHIQL);
    }

    /// `GET /_openapi-ui/`: Swagger UI.
    @Override
    public Service swaggerUi(String uri, String document) {
        return page(uri, SWAGGER_POLICY, "/swagger-ui/index.html", "DOCUMENT-URI", document, SWAGGER);
    }

    /// @param path of the page's text, in which `OWN-URI` stands for its path and `name` for `value`
    /// @param sources where the files that the page names are in the class path
    private static Service page(
            String uri, String policy, String path, String name, String value, Map<String, String> sources) {
        return new LazyPage(() -> {
            var text = PageService.readText(path)
                    .replace("OWN-URI", attribute(uri))
                    .replace(name, attribute(value));
            var contents = new TreeMap<String, byte[]>();
            sources.forEach((file, source) -> contents.put(file, PageService.read(source)));
            return new PageService(uri, policy, text, contents);
        });
    }

    /// A text within the quotes of an attribute.
    private static String attribute(String text) {
        return text.replace("&", "&amp;").replace("\"", "&quot;").replace("<", "&lt;");
    }

    /// A page that is read and compressed when it is first asked for: large ones would delay each start, and take
    /// memory where nobody uses them.
    private static final class LazyPage implements IoThreadService {
        private final Supplier<PageService> load;
        private volatile @Nullable PageService page;

        LazyPage(Supplier<PageService> load) {
            this.load = load;
        }

        @Override
        public Traffic traffic() {
            return Traffic.FILES;
        }

        @Override
        public Cors cors(Request request) {
            return PageService.CORS;
        }

        @Override
        public Response handle(Request request) {
            var known = page;
            if (known == null) {
                request.requireThread();
                known = loaded();
            }
            return known.handle(request);
        }

        private synchronized PageService loaded() {
            var known = page;
            if (known == null) {
                known = load.get();
                page = known;
            }
            return known;
        }
    }

    /// Serves an HTML page and its files from memory. Public, since they contain no data: the page sends
    /// requests with the credentials of its user.
    ///
    /// The page is at the root and revalidated on each request. Its files are in a folder named by the hash
    /// of all of them, and cached without expiry, so that files of two releases are never mixed.
    private static final class PageService implements IoThreadService {

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
        void add(String file, String text) {
            files.put(List.of(file.split("/", -1)), revalidated(file, text));
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
            return Bundled.bytes(PageService.class, path);
        }

        static String readText(String path) {
            return Bundled.text(PageService.class, path);
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
            request.requireMethod(Method.GET);
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

        /// A file in memory, plain and compressed. Immutable.
        private static final class StaticFile {
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
                    case "md" -> "text/markdown; charset=utf-8";
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
                        ? answer.with("Content-Encoding", ContentCoding.GZIP.token())
                                .with(type, gzip)
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
    }
}
