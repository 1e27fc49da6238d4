package org.restheart.core.filter;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.restheart.core.config.GatewayConfig;
import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.security.apikey.ApiKeyService;
import org.restheart.text.Words;

/// Replaces the problem "collection not found" at the path of a service that is switched off, or that is elsewhere,
/// by one that says so. Sent only to callers who would have received the original problem.
public final class OffServices implements Filter {
    /// By the first segments of their paths.
    private final Map<String, List<Off>> services;

    /// @param uri where the service is expected
    /// @param explanation why it is not there
    private record Off(List<String> uri, String explanation) {}

    private OffServices(List<Off> services) {
        this.services = services.stream()
                .filter(service -> !service.uri.isEmpty())
                .collect(Collectors.groupingBy(service -> service.uri.getFirst()));
    }

    public static OffServices of(GatewayConfig config) {
        var security = config.security();
        var logIn = security.oauth().authorization();
        var registration = security.oauth().registration();
        var off = Stream.of(
                        off(config.uri("mcp"), "the Model Context Protocol", "/_mcp", "mcp"),
                        off(config.uri("console"), "the console", "/_console", "console"),
                        off(config.uri("openApi"), "OpenAPI", "/_openapi", "openApi"),
                        off(config.uri("graphql"), "GraphQL", "/graphql", "graphql"),
                        off(config.uri("graphiql"), "GraphiQL", "/_graphiql", "graphiql"),
                        off(config.uri("dataApi"), "the Atlas Data API", "/app", "dataApi"),
                        off(
                                config.uri("apiKeyAuthMechanism"),
                                "the service of API keys",
                                ApiKeyService.URI,
                                "apiKeyAuthMechanism"),
                        off(logIn, "the log-in of OAuth", "/authorize", "oauthAuthorizationService"),
                        off(
                                registration,
                                "the registration of OAuth clients",
                                "/register",
                                "oauthClientRegistrationService"))
                .flatMap(Optional::stream);
        var elsewhere = Stream.of(
                        elsewhere("the Model Context Protocol", config.uri("mcp"), "mcp"),
                        elsewhere("the console", config.uri("console"), "console admin ui"),
                        elsewhere(
                                "the OpenAPI document",
                                config.uri("openApi"),
                                "openapi openapi.json _openapi.json swagger swagger.json swagger-ui api-docs"),
                        elsewhere("GraphiQL", config.uri("graphiql"), "graphiql"),
                        elsewhere("the state of MongoDB", config.uri("database-probe"), "health healthz"),
                        elsewhere("what is measured", config.uri("metrics"), "metric prometheus"))
                .flatMap(List::stream);
        return new OffServices(Stream.concat(off, elsewhere).toList());
    }

    /// @param uri of a service that is on
    /// @param words what its path may be thought to be; a path of its own does not get here
    private static List<Off> elsewhere(String name, Optional<String> uri, String words) {
        return uri.stream()
                .flatMap(at -> Words.of(words).stream().map(word -> new Off(List.of(word), name + " is at " + at)))
                .toList();
    }

    private static Optional<Off> off(Optional<?> service, String name, String uri, String block) {
        return service.isPresent()
                ? Optional.empty()
                : Optional.of(new Off(
                        RequestPath.parse(uri).segments(),
                        name + " would be here, but "
                                + GatewayConfig.missingJar(block)
                                        .map(jar -> "the class path has no " + jar)
                                        .orElse("is off: /" + block + "/enabled switches it on")));
    }

    @Override
    public Response filter(Request request, Handler next) {
        var meant = meant(request.path().segments());
        if (meant.isEmpty()) {
            return next.handle(request);
        }
        try {
            return next.handle(request).mapFailure(failure -> explained(failure, meant.get()));
        } catch (RuntimeException failure) {
            throw explained(failure, meant.get());
        }
    }

    private Optional<Off> meant(List<String> path) {
        for (var service : path.isEmpty() ? List.<Off>of() : services.getOrDefault(path.getFirst(), List.of())) {
            if (RequestPath.startsWith(path, service.uri)) {
                return Optional.of(service);
            }
        }
        return Optional.empty();
    }

    private static RuntimeException explained(RuntimeException failure, Off service) {
        if (!(failure instanceof ProblemException refused)
                || refused.problem().code() != ProblemCode.NAMESPACE_NOT_FOUND) {
            return failure;
        }
        return new ProblemException(
                ProblemCode.NAMESPACE_NOT_FOUND,
                service.explanation + ". As data: " + refused.problem().message());
    }
}
