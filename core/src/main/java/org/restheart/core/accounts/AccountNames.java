package org.restheart.core.accounts;

import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;
import org.restheart.core.accounts.StoredSecurity.LookUp;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.security.realm.UsersCollection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps the names of accounts unique where they are another property than the id, by a unique index: who sets the name
/// of another account, in whatever way, gets 409. Without the index nobody logs in by that property, since an account
/// that takes the name of another would lock it out. Thread-safe.
final class AccountNames implements CollectionFollower.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(AccountNames.class);

    /// Between two attempts.
    private static final Duration PAUSE = Duration.ofSeconds(5);

    private final MongoDatabase database;
    private final MongoCollection<BsonDocument> accounts;
    private final UsersCollection users;
    private final LookUp lookUp;
    private volatile boolean unique;
    private volatile long tried = System.nanoTime() - PAUSE.toNanos();

    AccountNames(MongoClient client, UsersCollection users, LookUp lookUp) {
        this.database = client.getDatabase(users.database());
        this.accounts = database.getCollection(users.collection(), BsonDocument.class);
        this.users = users;
        this.lookUp = lookUp;
        this.unique = users.isNamedById();
    }

    /// Whether no two accounts have the same name. May block for MongoDB.
    ///
    /// @throws org.restheart.http.ProblemException 503 if that cannot be found out now
    boolean areUnique() {
        if (!unique && System.nanoTime() - tried >= PAUSE.toNanos()) {
            lookUp.of(() -> {
                ensure();
                return unique;
            });
        }
        return unique;
    }

    /// Makes the index, unless there is one. Blocks for MongoDB.
    ///
    /// @throws com.mongodb.MongoException if MongoDB cannot be asked
    void ensure() {
        if (unique) {
            return;
        }
        var wanted = index();
        try {
            unique = hasOne(wanted) || make(wanted);
        } catch (MongoCommandException e) {
            if (MongoCodes.isTemporary(e.getErrorCode())) {
                throw e;
            }
            LOG.error(
                    "Nobody can log in by {}, the property of names (prop-id): the unique index over it in {} cannot"
                            + " be made, since {}. It is tried again when somebody logs in",
                    users.nameProperty(),
                    accounts.getNamespace(),
                    e.getErrorCode() == MongoCodes.DUPLICATE_KEY
                            ? "several accounts have the same name"
                            : MongoFailures.reason(e));
        }
        tried = System.nanoTime();
    }

    private boolean make(BsonDocument wanted) {
        database.runCommand(new BsonDocument("createIndexes", new BsonString(users.collection()))
                .append("indexes", new BsonArray(List.of(wanted))));
        return true;
    }

    private boolean hasOne(BsonDocument wanted) {
        return accounts.listIndexes(BsonDocument.class).into(new ArrayList<>()).stream()
                .anyMatch(index -> index.getBoolean("unique", BsonBoolean.FALSE).getValue()
                        && index.getDocument("key")
                                .keySet()
                                .equals(wanted.getDocument("key").keySet())
                        && !index.containsKey("collation")
                        && (!index.containsKey("partialFilterExpression")
                                || index.get("partialFilterExpression").equals(wanted.get("partialFilterExpression"))));
    }

    /// Over texts alone, which is what names are; with a condition that a query for a name implies, so that it is used.
    private BsonDocument index() {
        var name = users.nameProperty();
        return new BsonDocument("name", new BsonString("restheart_account_names"))
                .append("key", new BsonDocument(name, new BsonInt32(1)))
                .append("unique", BsonBoolean.TRUE)
                .append("collation", new BsonDocument("locale", new BsonString("simple")))
                .append("partialFilterExpression", new BsonDocument(name, new BsonDocument("$gt", new BsonString(""))));
    }

    private void check() {
        if (!users.isNamedById()) {
            unique = false;
            tried = System.nanoTime() - PAUSE.toNanos();
        }
    }

    @Override
    public void followed() {
        check();
    }

    @Override
    public void lost() {
        check();
    }

    /// Dropping the collection drops its indexes.
    @Override
    public void changed(@Nullable BsonDocument id) {
        if (id == null) {
            check();
        }
    }
}
