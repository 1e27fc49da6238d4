package org.restheart.console;

import java.util.Map;

/// GraphiQL: a page to write and try operations of GraphQL apps. Everything it needs is served here.
public final class Graphiql {
    /// Scripts, styles and requests of this origin only. Fonts and images are within the styles.
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; "
            + "img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; "
            + "form-action 'self'; frame-ancestors 'none'";

    /// The files that the page names, and where they are in the class path.
    private static final Map<String, String> SOURCES = Map.of(
            "page.js", "/graphiql/page.js",
            "page.css", "/graphiql/page.css",
            "graphiql.min.js", PageService.WEBJARS + "graphiql/2.4.7/graphiql.min.js",
            "graphiql.min.css", PageService.WEBJARS + "graphiql/2.4.7/graphiql.min.css",
            "react.production.min.js", PageService.WEBJARS + "react/18.3.1/umd/react.production.min.js",
            "react-dom.production.min.js", PageService.WEBJARS + "react-dom/18.3.1/umd/react-dom.production.min.js");

    private Graphiql() {}

    /// `GET /_graphiql/?app=…`.
    ///
    /// @param uri of the page
    /// @param graphql the path below which apps are
    public static PageService service(String uri, String graphql) {
        var page = PageService.readText("/graphiql/index.html")
                .replace("OWN-URI", PageService.attribute(uri))
                .replace("GRAPHQL-URI", PageService.attribute(graphql));
        return new PageService(uri, POLICY, page, PageService.read(SOURCES));
    }
}
