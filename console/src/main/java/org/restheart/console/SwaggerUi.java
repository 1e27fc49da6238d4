package org.restheart.console;

import java.util.Map;
import org.restheart.http.Service;

/// Swagger UI: a page that shows the OpenAPI document of this gateway, and sends its requests. Everything it needs is
/// served here; the document is asked for with the credentials of the page's user.
public final class SwaggerUi {
    /// Scripts and requests of this origin only. Swagger UI writes styles into attributes.
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
            + "img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

    /// The files that the page names, and where they are in the class path.
    private static final Map<String, String> SOURCES = Map.of(
            "page.js",
            "/swagger-ui/page.js",
            "page.css",
            "/swagger-ui/page.css",
            "swagger-ui-bundle.js",
            PageService.WEBJARS + "swagger-ui/5.34.1/swagger-ui-bundle.js",
            "swagger-ui.css",
            PageService.WEBJARS + "swagger-ui/5.34.1/swagger-ui.css");

    private SwaggerUi() {}

    /// `GET /_openapi-ui/`.
    ///
    /// @param uri of the page
    /// @param document the path of the OpenAPI document
    public static Service service(String uri, String document) {
        return new LazyPage(() -> {
            var page = PageService.readText("/swagger-ui/index.html")
                    .replace("OWN-URI", PageService.attribute(uri))
                    .replace("DOCUMENT-URI", PageService.attribute(document));
            return new PageService(uri, POLICY, page, PageService.read(SOURCES));
        });
    }
}
