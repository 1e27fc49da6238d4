package org.restheart.core.accounts;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;
import org.restheart.core.config.SecurityConfig;
import org.restheart.core.config.SecurityConfig.RealmName;
import org.restheart.data.Access;
import org.restheart.http.Method;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.http.access.DataTarget;
import org.restheart.http.judged.Permitted.Decision;
import org.restheart.http.judged.Permitted.RuleDecision;
import org.restheart.security.AmbientCredentials;
import org.restheart.security.Authenticator;
import org.restheart.security.Authorizer;
import org.restheart.security.FailedAttempts;
import org.restheart.security.OriginPattern;
import org.restheart.security.Policy;
import org.restheart.security.ProtectedCollection;
import org.restheart.security.RolesService;
import org.restheart.security.Vetoer;
import org.restheart.security.acl.AclAuthorizer;
import org.restheart.security.acl.FilePermissions;
import org.restheart.security.apikey.ApiKeyAuthenticator;
import org.restheart.security.apikey.ApiKeyService;
import org.restheart.security.predicate.KindAttempt;
import org.restheart.security.realm.BasicAuthenticator;
import org.restheart.security.realm.DigestAuthenticator;
import org.restheart.security.realm.Realm;
import org.restheart.security.token.TokenService;

/// Combines the configured mechanisms, rules and guards to the [Policy] of a gateway. Used once, at start.
///
/// @param realm returns a configured realm
/// @param roles present if the service is enabled
/// @param apiKeys present if API keys are enabled
/// @param filePermissions used if the configuration has permissions
/// @param stored present if MongoDB is configured
/// @param added by plugins
record PolicyParts(
        SecurityConfig config,
        Function<RealmName, Realm> realm,
        TokenParts tokens,
        Optional<RolesService> roles,
        Optional<KeyParts> apiKeys,
        FilePermissions filePermissions,
        Optional<StoredSecurity> stored,
        AddedPolicy added) {
    record KeyParts(ApiKeyAuthenticator authenticator, ApiKeyService service) {}

    Policy policy() {
        return new Policy(
                authenticators(),
                vetoers(),
                authorizers(),
                failedAttempts(),
                passwords(),
                tokens.cookie().orElse(UnaryOperator.identity()),
                config.guards().clientAddress(),
                config.checks());
    }

    /// In the order in which they are tried.
    private List<Authenticator> authenticators() {
        var authenticators = new ArrayList<Authenticator>();
        apiKeys.map(KeyParts::authenticator).ifPresent(authenticators::add);
        tokens.tokenBasic().ifPresent(authenticators::add);
        config.basicRealm()
                .ifPresent(name -> authenticators.add(new BasicAuthenticator(
                        realm.apply(name), name.component(), config.guards().clientAddress())));
        config.digest()
                .ifPresent(digest -> authenticators.add(new DigestAuthenticator(
                        realm.apply(digest.accounts()),
                        digest.realm(),
                        digest.domain(),
                        digest.accounts().component())));
        config.identity().map(Authenticator::always).ifPresent(authenticators::add);
        tokens.bearer().ifPresent(authenticators::add);
        authenticators.addAll(added.authenticators());
        return authenticators;
    }

    private List<Vetoer> vetoers() {
        var vetoers = new ArrayList<Vetoer>();
        config.guards().origins().ifPresent(vetoers::add);
        roles.ifPresent(vetoers::add);
        config.reserved().stream()
                .map(namespace -> new ReservedVetoer(namespace.getDatabaseName(), namespace.getCollectionName()))
                .forEach(vetoers::add);
        vetoers.addAll(added.vetoers());
        return vetoers;
    }

    /// In the order in which they are tried.
    private List<Authorizer> authorizers() {
        var authorizers = new ArrayList<Authorizer>();
        if (config.tokens().service().enabled() && config.tokens().service().secured()) {
            authorizers.add(new TokenService.Rules(config.tokens().service().uri()));
        }
        roles.ifPresent(authorizers::add);
        apiKeys.map(KeyParts::service).ifPresent(authorizers::add);
        config.filePermissions().ifPresent(_ -> authorizers.add(new AclAuthorizer(filePermissions, Optional.empty())));
        config.fullAuthorizer().ifPresent(required -> authorizers.add(new FullAuthorizer(required)));
        stored.flatMap(all -> all.authorizer).ifPresent(authorizers::add);
        authorizers.addAll(added.authorizers());
        return authorizers;
    }

    private List<FailedAttempts> failedAttempts() {
        var attempts = new ArrayList<FailedAttempts>();
        config.guards().bruteForce().ifPresent(attempts::add);
        config.guards().failureLog().ifPresent(attempts::add);
        attempts.addAll(added.failedAttempts());
        return attempts;
    }

    private AmbientCredentials passwords() {
        var cors = config.guards().cors();
        return cors.echo()
                ? AmbientCredentials.NONE
                : AmbientCredentials.password(OriginPattern.anyOf(cors.origins()), tokens::isLogIn);
    }

    /// Refuses every data request to a collection that only the gateway itself accesses, such as that of keys, whatever
    /// the caller's rights.
    private record ReservedVetoer(String database, String collection) implements ProtectedCollection, Vetoer {
        @Override
        public boolean vetoes(Request request, @Nullable Account account) {
            return request.attribute(DataTarget.KEY).filter(this::isTargetOf).isPresent();
        }
    }

    /// Allows every request, or every authenticated request.
    ///
    /// @param authenticationRequired whether anonymous requests are refused
    private record FullAuthorizer(boolean authenticationRequired) implements Authorizer {
        @Override
        public boolean requiresAuthentication(Request request) {
            return authenticationRequired && request.method() != Method.OPTIONS;
        }

        @Override
        public Optional<Access> authorize(Request request, @Nullable Account account) {
            return Optional.of(new Access.Root());
        }

        @Override
        public List<RuleDecision> ask(Request example, KindAttempt attempt) {
            boolean refused = attempt.account() == null && requiresAuthentication(example);
            return List.of(RuleDecision.of("fullAuthorizer", refused ? Decision.NEVER : Decision.ALWAYS));
        }
    }

    /// OpenAPI's security schemes of the configured authentication mechanisms, by name; those of OAuth contain paths in
    /// place of URLs.
    ///
    /// @param keys whether API keys are accepted
    static BsonDocument schemes(SecurityConfig config, TokenParts tokens, boolean keys) {
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
