package org.restheart.console;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.console.ConsoleConfig.ServicePaths;
import org.restheart.http.Cors;
import org.restheart.http.IoThreadService;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.http.Service.Traffic;

/// The pages for browsers. Everything that they need is served here; they send requests with the credentials of their
/// users.
public final class BrowserPages {
    /// References in the console's page. It names all files, so that browsers load them in parallel.
    private static final Pattern NAMED = Pattern.compile("(?:href|src)=\"FILES/([a-zA-Z0-9./_-]+)\"");

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
            WEBJARS + "swagger-ui/5.34.1/swagger-ui-bundle.js",
            "swagger-ui.css",
            WEBJARS + "swagger-ui/5.34.1/swagger-ui.css");

    private BrowserPages() {}

    /// `GET /_console/`: the console, which is a client of the public API.
    public static Service console(ConsoleConfig config, ServicePaths paths) {
        return new LazyPage(() -> {
            var page = PageService.readText("/console/index.html");
            var contents = new TreeMap<String, byte[]>();
            var names = NAMED.matcher(page);
            while (names.find()) {
                contents.computeIfAbsent(names.group(1), name -> PageService.read("/console/" + name));
            }
            return new PageService(config.uri(), CONSOLE_POLICY, page, contents)
                    .with("config.json", JsonEncoder.of(JsonMode.DEFAULT).encodeToString(config.toDocument(paths)));
        });
    }

    /// `GET /_graphiql/?app=…`: GraphiQL, to write and try operations of GraphQL apps.
    ///
    /// @param uri of the page
    /// @param graphql the path below which apps are
    public static Service graphiql(String uri, String graphql) {
        return page(uri, GRAPHIQL_POLICY, "/graphiql/index.html", "GRAPHQL-URI", graphql, GRAPHIQL);
    }

    /// `GET /_openapi-ui/`: Swagger UI, which shows the OpenAPI document of this gateway and sends its requests.
    ///
    /// @param uri of the page
    /// @param document the path of the OpenAPI document
    public static Service swaggerUi(String uri, String document) {
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
}
