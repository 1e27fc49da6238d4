package org.restheart.core.config;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.restheart.security.OriginPattern;
import org.restheart.security.jwt.ResourceTokens;
import org.restheart.security.token.BaseUrl;
import org.restheart.security.token.ResourceMetadataService;

/// The OAuth endpoints. A part is empty when its component is off.
public record SecurityOAuth(
        Optional<ServerMetadata> serverMetadata,
        Optional<ResourceMetadata> resourceMetadata,
        Optional<Authorization> authorization,
        Optional<Endpoint> registration,
        Optional<ModelContext> modelContext) {

    /// `mcp`, as far as it is about tokens.
    ///
    /// @param acceptsTokensWithoutAudience whether it takes tokens that name no endpoint
    public record ModelContext(
            ResourceMetadataService.ProtectedResource resource, boolean acceptsTokensWithoutAudience) {}

    /// `oauthAuthorizationServerMetadataService`.
    public record ServerMetadata(
            Endpoint endpoint, BaseUrl base, String tokenUri, String authorizeUri, Optional<String> registrationUri) {}

    /// `oauthProtectedResourceMetadataService`.
    public record ResourceMetadata(Endpoint endpoint, BaseUrl base) {}

    /// `oauthAuthorizationService`.
    public record Authorization(Endpoint endpoint, Optional<String> loginUrl, Predicate<String> redirects) {}

    static SecurityOAuth read(Block root, SecurityTokens.JwtConfig jwt) {
        var oauth = new SecurityOAuth(
                serverMetadata(root),
                resourceMetadata(root),
                authorization(root.block("oauthAuthorizationService")),
                Optional.of(Endpoint.read(root.block("oauthClientRegistrationService")))
                        .filter(Endpoint::enabled),
                root.block("mcp").ifEnabled(block -> modelContext(block, resourceBase(root))));
        if (oauth.modelContext.isPresent() && oauth.resourceMetadata.isEmpty()) {
            root.refuse(
                    "mcp/enabled",
                    "needs /oauthProtectedResourceMetadataService/enabled: true, which tells clients of tokens");
        }
        if (oauth.authorization.isPresent() && !jwt.canSign()) {
            root.refuse(
                    "oauthAuthorizationService/enabled",
                    "must be false with algorithm " + jwt.settings().algorithm()
                            + ": this server then only verifies tokens");
        }
        if (oauth.authorization.filter(service -> service.loginUrl().isEmpty()).isPresent()) {
            root.advise(
                    "oauthAuthorizationService/login-url",
                    "is not set: browsers that are sent to "
                            + oauth.authorization.get().endpoint().uri() + " get 500, as there is no page to log in");
        }
        if (oauth.registration.isPresent()
                && oauth.serverMetadata
                        .filter(metadata -> metadata.registrationUri().isEmpty())
                        .isPresent()) {
            root.advise(
                    "oauthAuthorizationServerMetadataService/registration-endpoint-uri",
                    "is not set: clients are not told that they may register at "
                            + oauth.registration.get().uri());
        }
        var audience = jwt.settings().audience();
        oauth.modelContext
                .map(endpoint -> endpoint.resource().path())
                .filter(path ->
                        audience.size() > 1 && audience.stream().anyMatch(name -> ResourceTokens.isAt(name, path)))
                .ifPresent(path -> root.advise(
                        "jwtConfigProvider/audience",
                        "names " + path
                                + " beside others: tokens, which have all of them, are good there and nowhere else"));
        return oauth;
    }

    private static ModelContext modelContext(Block block, BaseUrl base) {
        var configured = block.optionalText("base-url");
        var servers = block.texts("authorization-servers");
        if (!servers.isEmpty() && configured.isEmpty()) {
            block.refuse("base-url", "is required with authorization-servers: tokens name the endpoint by it");
        }
        var scopes = block.bool("read-only") ? List.of("mcp:read") : List.of("mcp:read", "mcp:write");
        return new ModelContext(
                new ResourceMetadataService.ProtectedResource(
                        block.uri("uri"),
                        configured.isPresent() ? new BaseUrl(configured, false) : base,
                        servers,
                        scopes),
                block.bool("accept-plain-tokens"));
    }

    private static BaseUrl resourceBase(Block root) {
        var block = root.block("oauthProtectedResourceMetadataService");
        var core = root.block("core");
        return new BaseUrl(
                block.optionalText("base-url").or(() -> core.optionalText("base-url")),
                block.bool("trust-x-forwarded")
                        && core.texts("trusted-proxies").isEmpty()); // which say it for all URLs
    }

    private static Optional<ServerMetadata> serverMetadata(Block root) {
        var block = root.block("oauthAuthorizationServerMetadataService");
        var endpoint = Endpoint.read(block);
        return endpoint.enabled()
                ? Optional.of(new ServerMetadata(
                        endpoint,
                        new BaseUrl(
                                block.optionalText("base-url")
                                        .or(() -> root.block("core").optionalText("base-url")),
                                false),
                        block.uri("token-endpoint-uri"),
                        block.uri("authorize-endpoint-uri"),
                        block.optionalText("registration-endpoint-uri")))
                : Optional.empty();
    }

    private static Optional<ResourceMetadata> resourceMetadata(Block root) {
        var block = root.block("oauthProtectedResourceMetadataService");
        var endpoint = Endpoint.read(block);
        return endpoint.enabled() ? Optional.of(new ResourceMetadata(endpoint, resourceBase(root))) : Optional.empty();
    }

    private static Optional<Authorization> authorization(Block block) {
        var endpoint = Endpoint.read(block);
        return endpoint.enabled()
                ? Optional.of(new Authorization(endpoint, block.optionalText("login-url"), redirects(block)))
                : Optional.empty();
    }

    private static Predicate<String> redirects(Block block) {
        try {
            return OriginPattern.anyUriOf(block.texts("allowed-redirect-uris"));
        } catch (IllegalArgumentException e) {
            block.refuse("allowed-redirect-uris", "has an entry that is " + e.getMessage());
            return OriginPattern.anyUriOf(List.of());
        }
    }
}
