package org.restheart.core.accounts;

import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.core.config.SecurityConfig;

/// OpenAPI's security schemes of the configured authentication mechanisms, by name.
final class SecuritySchemes {
    private SecuritySchemes() {}

    /// The schemes of OAuth contain paths in place of URLs.
    ///
    /// @param keys whether API keys are accepted
    static BsonDocument of(SecurityConfig config, TokenParts tokens, boolean keys) {
        var schemes = new BsonDocument();
        if (keys) {
            config.apiKeys()
                    .flatMap(settings -> settings.headerNames().stream().findFirst())
                    .ifPresent(name -> schemes.append(
                            "apiKey",
                            scheme("apiKey").append("in", text("header")).append("name", text(name))));
        }
        if (config.basicRealm().isPresent()) {
            schemes.append("basic", scheme("http").append("scheme", text("basic")));
        }
        tokens.bearer()
                .ifPresent(_ -> schemes.append(
                        "bearer",
                        scheme("http").append("scheme", text("bearer")).append("bearerFormat", text("JWT"))));
        tokens.cookie()
                .ifPresent(_ -> schemes.append(
                        "cookie",
                        scheme("apiKey")
                                .append("in", text("cookie"))
                                .append("name", text(config.tokens().cookie().name()))));
        if (config.digest().isPresent()) {
            schemes.append("digest", scheme("http").append("scheme", text("digest")));
        }
        config.oauth()
                .authorization()
                .ifPresent(codes -> config.oauth()
                        .serverMetadata()
                        .ifPresent(server -> schemes.append(
                                "oauth2",
                                scheme("oauth2")
                                        .append(
                                                "flows",
                                                new BsonDocument(
                                                        "authorizationCode",
                                                        new BsonDocument(
                                                                        "authorizationUrl",
                                                                        text(codes.endpoint()
                                                                                .uri()))
                                                                .append("tokenUrl", text(server.tokenUri()))
                                                                .append("scopes", new BsonDocument()))))));
        return schemes;
    }

    private static BsonDocument scheme(String type) {
        return new BsonDocument("type", text(type));
    }

    private static BsonString text(String text) {
        return new BsonString(text);
    }
}
