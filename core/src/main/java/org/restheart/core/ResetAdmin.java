package org.restheart.core;

import com.mongodb.MongoSecurityException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.UpdateOptions;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.restheart.core.accounts.MongoFailures;
import org.restheart.core.config.ConfigException;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.config.SecurityStores.MongoRealmConfig;
import org.restheart.core.server.StartException;
import org.restheart.mongo.error.WrongDeploymentException;
import org.restheart.security.realm.DefaultAccount;

/// `--reset-admin`: creates an account with the root role, or gives the existing one a new password, for operators
/// who cannot log in any more. Needs only the connection string of the deployment, no running server.
final class ResetAdmin {
    private ResetAdmin() {}

    /// @param password is stored as a hash only, and shown once
    record Account(String name, String role, String password) {
        @Override
        public String toString() {
            return "Account[" + name + "]";
        }
    }

    /// @throws ConfigException if accounts are not in MongoDB, or there is no root role
    /// @throws StartException if MongoDB cannot be used
    static Account run(GatewayConfig config) {
        var realm = config.security().mongoRealm().orElseThrow(() -> refused("mongoRealmAuthenticator is off"));
        var role = config.security().rootRole().orElseThrow(() -> refused("mongoAclAuthorizer has no root-role"));
        var password = MongoRealmConfig.randomPassword();
        store(config, realm, role, password);
        return new Account(DefaultAccount.NAME, role, password);
    }

    private static void store(GatewayConfig config, MongoRealmConfig realm, String role, String password) {
        var users = realm.users();
        var roles = users.roles().dotted().orElseThrow(() -> refused("json-path-roles is not a path of names"));
        var change = new BsonDocument(users.passwordProperty(), new BsonString(realm.stored(password)))
                .append(roles, new BsonArray(List.of(new BsonString(role))))
                .append("_etag", new BsonObjectId());
        try (var connection = MongoConnection.open(config, new SimpleMeterRegistry(), List.of())) {
            var client = connection.client();
            try {
                client.getDatabase(users.database())
                        .getCollection(users.collection(), BsonDocument.class)
                        .updateOne(
                                Filters.eq(users.nameProperty(), DefaultAccount.NAME),
                                new BsonDocument("$set", change),
                                new UpdateOptions().upsert(true));
            } catch (WrongDeploymentException e) {
                throw e;
            } catch (MongoTimeoutException e) {
                throw new StartException(MongoFailures.unreachable(client.getClusterDescription()), e);
            } catch (MongoSecurityException e) {
                throw new StartException(MongoFailures.REFUSED, e);
            }
        }
    }

    private static ConfigException refused(String why) {
        return ConfigException.of("--reset-admin makes an account in MongoDB: " + why);
    }
}
