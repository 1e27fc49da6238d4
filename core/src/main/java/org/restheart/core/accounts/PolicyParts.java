package org.restheart.core.accounts;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.restheart.core.config.SecurityConfig;
import org.restheart.core.config.SecurityConfig.RealmName;
import org.restheart.http.Request;
import org.restheart.security.AmbientCredentials;
import org.restheart.security.Authenticator;
import org.restheart.security.Authorizer;
import org.restheart.security.FailedAttempts;
import org.restheart.security.FullAuthorizer;
import org.restheart.security.IdentityAuthenticator;
import org.restheart.security.Policy;
import org.restheart.security.RolesService;
import org.restheart.security.Vetoer;
import org.restheart.security.acl.AclAuthorizer;
import org.restheart.security.acl.FilePermissions;
import org.restheart.security.apikey.ApiKeyAuthenticator;
import org.restheart.security.apikey.ApiKeyService;
import org.restheart.security.apikey.ReservedVetoer;
import org.restheart.security.guard.FailedAuthLogger;
import org.restheart.security.guard.OriginPattern;
import org.restheart.security.password.BasicAuthenticator;
import org.restheart.security.password.DigestAuthenticator;
import org.restheart.security.realm.Realm;
import org.restheart.security.token.TokenRules;

/// Combines the configured mechanisms, rules and guards to the [Policy] of a gateway. Used once, at start.
///
/// @param realm returns a configured realm
/// @param roles present if the service is enabled
/// @param apiKeys present if API keys are enabled
/// @param filePermissions used if the configuration has permissions
/// @param stored present if MongoDB is configured
record PolicyParts(
        SecurityConfig config,
        Function<RealmName, Realm> realm,
        TokenParts tokens,
        Optional<RolesService> roles,
        Optional<KeyParts> apiKeys,
        FilePermissions filePermissions,
        Optional<StoredSecurity> stored) {
    record KeyParts(ApiKeyAuthenticator authenticator, ApiKeyService service) {}

    Policy policy() {
        return new Policy(
                authenticators(),
                vetoers(),
                authorizers(),
                failedAttempts(),
                passwords(),
                tokens.cookie()
                        .<UnaryOperator<Request>>map(cookie -> cookie::apply)
                        .orElse(UnaryOperator.identity()),
                config.guards().clientAddress(),
                config.checks());
    }

    /// In the order in which they are tried.
    private List<Authenticator> authenticators() {
        var authenticators = new ArrayList<Authenticator>();
        apiKeys.map(KeyParts::authenticator).ifPresent(authenticators::add);
        tokens.tokenBasic().ifPresent(authenticators::add);
        config.basicRealm()
                .ifPresent(name -> authenticators.add(new BasicAuthenticator(realm.apply(name), name.component())));
        config.digest()
                .ifPresent(digest -> authenticators.add(new DigestAuthenticator(
                        realm.apply(digest.accounts()),
                        digest.realm(),
                        digest.domain(),
                        digest.accounts().component())));
        config.identity().ifPresent(account -> authenticators.add(new IdentityAuthenticator(account)));
        tokens.bearer().ifPresent(authenticators::add);
        return authenticators;
    }

    private List<Vetoer> vetoers() {
        var vetoers = new ArrayList<Vetoer>();
        config.guards().origins().ifPresent(vetoers::add);
        roles.ifPresent(vetoers::add);
        config.reserved().stream()
                .map(namespace -> new ReservedVetoer(namespace.getDatabaseName(), namespace.getCollectionName()))
                .forEach(vetoers::add);
        return vetoers;
    }

    /// In the order in which they are tried.
    private List<Authorizer> authorizers() {
        var authorizers = new ArrayList<Authorizer>();
        if (config.tokens().service().enabled() && config.tokens().service().secured()) {
            authorizers.add(new TokenRules(config.tokens().service().uri()));
        }
        roles.ifPresent(authorizers::add);
        apiKeys.map(KeyParts::service).ifPresent(authorizers::add);
        config.filePermissions().ifPresent(_ -> authorizers.add(new AclAuthorizer(filePermissions, Optional.empty())));
        config.fullAuthorizer().ifPresent(required -> authorizers.add(new FullAuthorizer(required)));
        stored.flatMap(StoredSecurity::authorizer).ifPresent(authorizers::add);
        return authorizers;
    }

    private List<FailedAttempts> failedAttempts() {
        var attempts = new ArrayList<FailedAttempts>();
        config.guards().bruteForce().ifPresent(attempts::add);
        if (config.guards().logsFailures()) {
            attempts.add(new FailedAuthLogger());
        }
        return attempts;
    }

    private AmbientCredentials passwords() {
        var cors = config.guards().cors();
        return cors.echo()
                ? AmbientCredentials.NONE
                : AmbientCredentials.password(OriginPattern.anyOf(cors.origins()), tokens::isLogIn);
    }
}
