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
                    .ifPresent(name -> schemes.append("apiKey", scheme("apiKey", "in", "header", "name", name)));
        }
        if (config.basicRealm().isPresent()) {
            schemes.append("basic", scheme("http", "scheme", "basic"));
        }
        tokens.bearer()
                .ifPresent(_ -> schemes.append("bearer", scheme("http", "scheme", "bearer", "bearerFormat", "JWT")));
        tokens.cookie().ifPresent(_ -> {
            var name = config.tokens().cookie().name();
            schemes.append("cookie", scheme("apiKey", "in", "cookie", "name", name));
        });
        if (config.digest().isPresent()) {
            schemes.append("digest", scheme("http", "scheme", "digest"));
        }
        config.oauth()
                .authorization()
                .ifPresent(codes -> config.oauth().serverMetadata().ifPresent(server -> {
                    var flow = texts("authorizationUrl", codes.endpoint().uri(), "tokenUrl", server.tokenUri())
                            .append("scopes", new BsonDocument());
                    schemes.append(
                            "oauth2", scheme("oauth2").append("flows", new BsonDocument("authorizationCode", flow)));
                }));
        return schemes;
    }

    /// @param further names and values of further fields
    private static BsonDocument scheme(String type, String... further) {
        var scheme = texts("type", type);
        scheme.putAll(texts(further));
        return scheme;
    }

    private static BsonDocument texts(String... namesAndValues) {
        var texts = new BsonDocument();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            texts.append(namesAndValues[i], new BsonString(namesAndValues[i + 1]));
        }
        return texts;
    }
}
