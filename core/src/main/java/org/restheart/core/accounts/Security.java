package org.restheart.core.accounts;

import com.mongodb.client.MongoClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.restheart.core.config.MongoRealmConfig;
import org.restheart.core.config.SecurityConfig;
import org.restheart.core.routing.Binding;
import org.restheart.http.Filter;
import org.restheart.http.Service;
import org.restheart.security.Authenticator;
import org.restheart.security.Authorizer;
import org.restheart.security.FullAuthorizer;
import org.restheart.security.Policy;
import org.restheart.security.SecurityFilter;
import org.restheart.security.acl.AclAuthorizer;
import org.restheart.security.acl.FilePermissions;
import org.restheart.security.basic.BasicAuthenticator;
import org.restheart.security.realm.FileRealm;
import org.restheart.security.realm.PasswordHashes;
import org.restheart.security.realm.Realm;

/// Security as the configuration wants it: the door of every binding, and the guards of services behind it.
public final class Security implements AutoCloseable {
    private static final int DEFAULT_COST = 12;

    private final PasswordHashes hashes;
    private final Optional<StoredSecurity> stored;
    private final SecurityFilter secured;
    private final SecurityFilter open;

    private Security(SecurityConfig config, Optional<MongoClient> client) {
        hashes = new PasswordHashes(
                config.mongoRealm().map(MongoRealmConfig::bcryptCost).orElse(DEFAULT_COST));
        stored = client.map(mongo -> new StoredSecurity(mongo, config.mongoRealm(), config.mongoAcl(), hashes));
        var policy = Policy.of(authenticators(config), List.of(), authorizers(config));
        secured = policy.door(true);
        open = policy.door(false);
    }

    /// @param client closed by the caller, after this
    public static Security open(SecurityConfig config, Optional<MongoClient> client) {
        return new Security(config, client);
    }

    private List<Authenticator> authenticators(SecurityConfig config) {
        return config.basicRealm().<Authenticator>map(name -> new BasicAuthenticator(realm(name, config))).stream()
                .toList();
    }

    private Realm realm(SecurityConfig.RealmName name, SecurityConfig config) {
        return switch (name) {
            case FILE -> new FileRealm(config.fileUsers().orElse(List.of()), hashes);
            case MONGO -> stored.flatMap(StoredSecurity::realm).orElseThrow();
        };
    }

    /// The order in which they are asked.
    private List<Authorizer> authorizers(SecurityConfig config) {
        var authorizers = new ArrayList<Authorizer>();
        config.filePermissions()
                .ifPresent(permissions ->
                        authorizers.add(new AclAuthorizer(new FilePermissions(permissions), Optional.empty())));
        config.fullAuthorizer().ifPresent(required -> authorizers.add(new FullAuthorizer(required)));
        stored.flatMap(StoredSecurity::authorizer).ifPresent(authorizers::add);
        return authorizers;
    }

    /// The filter that authenticates and authorizes the requests of a binding.
    public Filter door(Binding binding) {
        return binding.secured() ? secured : open;
    }

    /// The data API behind what security needs to see of it.
    public Service guard(Service dataApi) {
        return stored.<Service>map(parts -> new GuardedService(dataApi, List.of(new FreshAfterWrites(parts))))
                .orElse(dataApi);
    }

    @Override
    public void close() {
        stored.ifPresent(StoredSecurity::close);
        hashes.close();
    }
}
