package org.restheart.core.accounts;

import com.mongodb.client.MongoClient;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.core.accounts.CollectionFollower.Listener;
import org.restheart.core.config.MongoAclConfig;
import org.restheart.core.config.MongoRealmConfig;
import org.restheart.http.DataTarget;
import org.restheart.security.acl.AclAuthorizer;
import org.restheart.security.acl.Permission;
import org.restheart.security.acl.StoredPermissions;
import org.restheart.security.cache.Kept;
import org.restheart.security.realm.PasswordHashes;
import org.restheart.security.realm.StoredRealm;

/// Accounts and permissions in MongoDB, with what is remembered of them and what keeps that fresh: the change
/// streams of both collections, and the writes that pass through this server.
final class StoredSecurity implements AutoCloseable {
    private final Optional<StoredRealm> realm;
    private final Optional<AclAuthorizer> authorizer;
    private final Map<String, Map<String, Listener>> listeners = new HashMap<>();
    private final List<Runnable> running = new ArrayList<>();

    StoredSecurity(
            MongoClient client,
            Optional<MongoRealmConfig> realmConfig,
            Optional<MongoAclConfig> aclConfig,
            PasswordHashes hashes) {
        this.realm = realmConfig.map(config -> realm(client, config, hashes));
        this.authorizer = aclConfig.map(config -> authorizer(client, config));
        if (!listeners.isEmpty()) {
            var start = new UsersAtStart(client, realmConfig, aclConfig);
            running.add(start::close);
            start.start();
        }
        listeners.forEach((database, ofCollection) ->
                running.add(CollectionFollower.start(client, database, ofCollection)::close));
    }

    private StoredRealm realm(MongoClient client, MongoRealmConfig config, PasswordHashes hashes) {
        var users = config.users();
        var kept = new Kept<String, StoredRealm.Stored>(config.keeping());
        // Only where the name is the id does a change tell whose it is.
        boolean byId = users.nameProperty().equals("_id");
        listen(users.database(), users.collection(), new Listener() {
            @Override
            public void followed() {
                kept.follow();
            }

            @Override
            public void lost() {
                kept.lose();
            }

            @Override
            public void changed(@Nullable BsonDocument key) {
                var id = byId && key != null ? key.get("_id") : null;
                if (id != null && id.isString()) {
                    kept.forget(id.asString().getValue());
                } else {
                    kept.forgetAll();
                }
            }
        });
        return new StoredRealm(users, new MongoAccounts(client, users), hashes, kept);
    }

    private AclAuthorizer authorizer(MongoClient client, MongoAclConfig config) {
        var kept = new Kept<String, List<Permission>>(config.keeping());
        listen(config.database(), config.collection(), new Listener() {
            @Override
            public void followed() {
                kept.follow();
            }

            @Override
            public void lost() {
                kept.lose();
            }

            @Override
            public void changed(@Nullable BsonDocument key) {
                kept.forgetAll();
            }
        });
        var permissions = new MongoPermissions(client, config.database(), config.collection());
        return new AclAuthorizer(new StoredPermissions(permissions, kept), config.rootRole());
    }

    /// Accounts and permissions may share a collection: nobody forbids it.
    private void listen(String database, String collection, Listener listener) {
        listeners.computeIfAbsent(database, _ -> new HashMap<>()).merge(collection, listener, BothListeners::new);
    }

    Optional<StoredRealm> realm() {
        return realm;
    }

    Optional<AclAuthorizer> authorizer() {
        return authorizer;
    }

    /// Forgets what a write through this server may have changed.
    void written(DataTarget target) {
        var database = target.db().map(listeners::get).orElse(null);
        if (database != null) {
            database.forEach((collection, listener) -> {
                if (target.collection().isEmpty() || target.collection().get().equals(collection)) {
                    listener.changed(null);
                }
            });
        }
    }

    @Override
    public void close() {
        running.reversed().forEach(Runnable::run);
    }

    private record BothListeners(Listener first, Listener second) implements Listener {
        @Override
        public void followed() {
            first.followed();
            second.followed();
        }

        @Override
        public void lost() {
            first.lost();
            second.lost();
        }

        @Override
        public void changed(@Nullable BsonDocument id) {
            first.changed(id);
            second.changed(id);
        }
    }
}
