package org.restheart.core.accounts;

import com.mongodb.MongoNamespace;
import com.mongodb.ReadPreference;
import com.mongodb.client.MongoClient;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.Projection;
import org.restheart.mongo.find.ReadSettings;
import org.restheart.mongo.find.StagedFilter;
import org.restheart.security.realm.UsersCollection;

/// The accounts in MongoDB that may do everything: those with the root role and a password.
final class RootAccounts {
    private static final int BATCH = 100;
    private static final Duration TIME_LIMIT = Duration.ofSeconds(5);

    /// Another member may still have one that another gateway has just removed.
    private static final Optional<ReadPreference> LATEST = Optional.of(ReadPreference.primary());

    private final DriverFinder documents;
    private final RootAccountsLock lock;
    private final MongoNamespace namespace;
    private final UsersCollection users;
    private final String rootRole;

    RootAccounts(MongoClient client, UsersCollection users, String rootRole) {
        this.documents = new DriverFinder(client);
        this.lock = new RootAccountsLock(client, users.database());
        this.namespace = new MongoNamespace(users.database(), users.collection());
        this.users = users;
        this.rootRole = rootRole;
    }

    UsersCollection users() {
        return users;
    }

    String rootRole() {
        return rootRole;
    }

    /// Held by who may take the role from one of them.
    RootAccountsLock lock() {
        return lock;
    }

    boolean is(BsonDocument account) {
        var password = account.get(users.passwordProperty());
        return password instanceof BsonString text
                && !text.getValue().isEmpty()
                && users.nameOf(account).isPresent()
                && hasRole(account);
    }

    private boolean hasRole(BsonDocument account) {
        return users.roles()
                .read(account)
                .filter(roles -> roles.contains(rootRole))
                .isPresent();
    }

    /// A filter for accounts without the root role; empty if the path of the roles cannot be used in a filter.
    Optional<BsonDocument> others() {
        return users.roles()
                .dotted()
                .map(path -> new BsonDocument(path, new BsonDocument("$ne", new BsonString(rootRole))));
    }

    /// Whether one of them matches all filters. Blocks for MongoDB.
    boolean exist(List<BsonDocument> filters) {
        return existAmong(new BsonDocument("$and", new BsonArray(filters)), this::is);
    }

    /// As [#exist], also of accounts with the root role that have no password.
    boolean existWithoutPassword(List<BsonDocument> filters) {
        return existAmong(new BsonDocument("$and", new BsonArray(filters)), this::hasRole);
    }

    /// Whether one of them does not match all filters. Blocks for MongoDB.
    boolean existBeside(List<BsonDocument> filters) {
        return existAmong(
                new BsonDocument("$nor", new BsonArray(List.of(new BsonDocument("$and", new BsonArray(filters))))),
                this::is);
    }

    /// The filter, which may be a client's, is evaluated on accounts that may have the role only, within a time
    /// limit, and over the caller's connections.
    private boolean existAmong(BsonDocument filter, Predicate<BsonDocument> wanted) {
        var query = new FindQuery(
                namespace,
                new StagedFilter(candidates(), filter),
                Projection.ALL,
                new BsonDocument(),
                Optional.empty(),
                0,
                0,
                new ReadSettings(Optional.empty(), LATEST, TIME_LIMIT));
        try (var found = documents.find(query, BATCH)) {
            while (found.hasNext()) {
                if (wanted.test(found.next())) {
                    return true;
                }
            }
        }
        return false;
    }

    /// A filter for accounts that may have the role. If the path of the roles cannot be used in a filter, it
    /// matches all accounts with any roles.
    private BsonDocument candidates() {
        return users.roles()
                .dotted()
                .map(path -> new BsonDocument(path, new BsonString(rootRole)))
                .orElseGet(() -> new BsonDocument(users.roles().root(), new BsonDocument("$ne", BsonNull.VALUE)));
    }
}
