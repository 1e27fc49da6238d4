package org.restheart.core;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.restheart.console.ConsoleConfig;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.routing.Binding;
import org.restheart.core.routing.Binding.Match;
import org.restheart.core.routing.Router.Route;
import org.restheart.core.service.BuildInfo;
import org.restheart.core.service.HomePage;
import org.restheart.http.Service;
import org.restheart.mcp.McpConfig;
import org.restheart.mongo.MongoConfig;
import org.restheart.openapi.OpenApiConfig;

/// Adds the page for browsers at `/`: requests of other clients go to the service that is bound there.
final class Home {
    private Home() {}

    /// The routes, with the page at `/` and its icon. A service of the operator's at `/favicon.ico` is left alone.
    static List<Route> of(GatewayConfig config, List<Route> routes, Function<Binding, Route> assemble) {
        var page = assemble.apply(exact(
                new HomePage(
                        config.core().name(),
                        BuildInfo.load().version(),
                        config.console().map(ConsoleConfig::uri),
                        places(config)),
                "/"));
        var all = new ArrayList<Route>();
        routes.forEach(route -> all.add(route.binding().uri().equals("/") ? before(route, page) : route));
        if (all.stream().noneMatch(route -> route.binding().uri().equals("/"))) {
            all.add(page);
        }
        if (all.stream().noneMatch(route -> route.binding().uri().equals("/favicon.ico"))) {
            all.add(assemble.apply(exact(new HomePage.Icon(), "/favicon.ico")));
        }
        return all;
    }

    private static Binding exact(Service service, String uri) {
        return new Binding(service, uri, Match.EXACT, false, List.of());
    }

    private static Route before(Route route, Route page) {
        return new Route(
                route.binding(),
                request -> (HomePage.isAsked(request) ? page : route).chain().handle(request),
                route.judged());
    }

    /// The services that the page names to callers with an account, by path.
    private static Map<String, String> places(GatewayConfig config) {
        var places = new LinkedHashMap<String, String>();
        config.mongo()
                .map(MongoConfig::uri)
                .ifPresent(uri -> places.put(uri.equals("/") ? "/?page=1" : uri, "the data, as JSON"));
        config.openApi()
                .map(OpenApiConfig::uri)
                .ifPresent(uri -> places.put(uri, "the API as you may use it, as OpenAPI"));
        Optional.of(config.access())
                .filter(access -> access.enabled() && config.mongo().isPresent())
                .ifPresent(access -> places.put(access.uri(), "what you may do with which collections"));
        if (config.metrics().endpoint().enabled()) {
            places.put(config.metrics().endpoint().uri(), "metrics");
        }
        if (config.mclient().enabled() && config.databaseProbe().endpoint().enabled()) {
            places.put(config.databaseProbe().endpoint().uri(), "whether MongoDB answers");
        }
        config.mcp()
                .map(McpConfig::uri)
                .ifPresent(uri -> places.put(uri, "the Model Context Protocol, for assistants"));
        return places;
    }
}
