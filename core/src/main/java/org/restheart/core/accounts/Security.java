package org.restheart.core.accounts;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.restheart.core.config.SecurityConfig;
import org.restheart.core.routing.Binding;
import org.restheart.http.Filter;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Security as the configuration wants it: the door of every binding.
public final class Security implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Security.class);
    private static final int BCRYPT_COST = 12;

    private final PasswordHashes hashes = new PasswordHashes(BCRYPT_COST);
    private final SecurityFilter secured;
    private final SecurityFilter open;

    private Security(SecurityConfig config) {
        var policy = Policy.of(authenticators(config), List.of(), authorizers(config));
        secured = policy.door(true);
        open = policy.door(false);
    }

    public static Security open(SecurityConfig config) {
        return new Security(config);
    }

    private List<Authenticator> authenticators(SecurityConfig config) {
        return config.basicRealm().<Authenticator>map(name -> new BasicAuthenticator(realm(name, config))).stream()
                .toList();
    }

    private Realm realm(SecurityConfig.RealmName name, SecurityConfig config) {
        return switch (name) {
            case FILE -> {
                var users = config.fileUsers().orElse(List.of());
                if (users.stream().anyMatch(Security::isDefault)) {
                    LOG.warn("The account admin still has its default password. Change it before others can reach"
                            + " this server");
                }
                yield new FileRealm(users, hashes);
            }
        };
    }

    private static boolean isDefault(FileRealm.User user) {
        return user.name().equals("admin") && user.password().equals("secret");
    }

    private static List<Authorizer> authorizers(SecurityConfig config) {
        var authorizers = new ArrayList<Authorizer>();
        config.filePermissions()
                .ifPresent(permissions ->
                        authorizers.add(new AclAuthorizer(new FilePermissions(permissions), Optional.empty())));
        config.fullAuthorizer().ifPresent(required -> authorizers.add(new FullAuthorizer(required)));
        return authorizers;
    }

    /// The filter that authenticates and authorizes the requests of a binding.
    public Filter door(Binding binding) {
        return binding.secured() ? secured : open;
    }

    @Override
    public void close() {
        hashes.close();
    }
}
