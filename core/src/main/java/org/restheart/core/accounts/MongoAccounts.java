package org.restheart.core.accounts;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.restheart.bson.RawDocuments;
import org.restheart.http.ShortText;
import org.restheart.security.realm.StoredRealm.Accounts;
import org.restheart.security.realm.UsersCollection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Accounts in a collection. Thread-safe.
final class MongoAccounts implements Accounts {
    private static final Logger LOG = LoggerFactory.getLogger(MongoAccounts.class);

    /// Of an account in BSON: while they are used, accounts are in memory, with ten times as many bytes, and some
    /// accounts may change their own properties.
    private static final int LARGEST = 256 << 10;

    /// Between two warnings.
    private static final Duration PAUSE = Duration.ofMinutes(1);

    private final MongoCollection<RawBsonDocument> collection;
    private final AccountNames names;
    private final LookUp lookUp;
    private final UsersCollection users;
    private final AtomicLong warned = new AtomicLong(System.nanoTime() - PAUSE.toNanos());

    MongoAccounts(MongoClient client, UsersCollection users, AccountNames names, LookUp lookUp) {
        this.names = names;
        this.lookUp = lookUp;
        this.collection = client.getDatabase(users.database()).getCollection(users.collection(), RawBsonDocument.class);
        this.users = users;
    }

    /// The name is always compared as a string: an account whose id is of another type cannot log in, nor can one with
    /// a list of names, with the same name as another, or that is too large.
    @Override
    public Optional<BsonDocument> find(String name) {
        if (!names.areUnique()) {
            return Optional.empty();
        }
        var found = lookUp.of(() -> collection.find(named(name)).limit(2).into(new ArrayList<>()));
        if (found.size() != 1) {
            return Optional.empty();
        }
        var only = found.getFirst();
        if (only.getByteLength() > LARGEST) {
            warn(name, only.getByteLength());
            return Optional.empty();
        }
        var account = RawDocuments.toTree(only);
        return isNamed(account, name) ? Optional.of(account) : Optional.empty();
    }

    /// Now and then: anybody can send the name.
    private void warn(String name, int bytes) {
        long now = System.nanoTime();
        long last = warned.get();
        if (now - last > PAUSE.toNanos() && warned.compareAndSet(last, now)) {
            LOG.warn(
                    "the account {} cannot log in: it has {} bytes, and may have {}",
                    ShortText.of(name, 100),
                    bytes,
                    LARGEST);
        }
    }

    @Override
    public void identify(String name, String property) {
        var account = find(name);
        if (account.isEmpty()) {
            return;
        }
        var without = new BsonDocument("_id", account.get().get("_id"))
                .append(property, new BsonDocument("$exists", BsonBoolean.FALSE));
        lookUp.of(() -> collection.updateOne(
                without,
                new BsonDocument(
                        "$set", new BsonDocument(property, new BsonObjectId()).append("_etag", new BsonObjectId()))));
    }

    /// Accounts with the name in a list of names are excluded, so that they do not make the account with exactly this
    /// name ambiguous.
    private BsonDocument named(String name) {
        var property = users.nameProperty();
        var named = new BsonDocument(property, new BsonString(name));
        return property.equals("_id")
                ? named
                : named.append(
                        "$expr",
                        new BsonDocument(
                                "$eq",
                                new BsonArray(List.of(
                                        new BsonString("$" + property),
                                        new BsonDocument("$literal", new BsonString(name))))));
    }

    /// With a collation the query also finds other spellings.
    private boolean isNamed(BsonDocument account, String name) {
        return users.nameOf(account).filter(name::equals).isPresent();
    }
}
