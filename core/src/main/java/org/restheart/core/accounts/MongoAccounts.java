package org.restheart.core.accounts;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.security.realm.Accounts;
import org.restheart.security.realm.UsersCollection;

/// Accounts in a collection. Thread-safe.
final class MongoAccounts implements Accounts {
    private final MongoCollection<BsonDocument> collection;
    private final LookUp lookUp;
    private final UsersCollection users;

    MongoAccounts(MongoClient client, UsersCollection users, LookUp lookUp) {
        this.lookUp = lookUp;
        this.collection = client.getDatabase(users.database()).getCollection(users.collection(), BsonDocument.class);
        this.users = users;
    }

    /// The name is always compared as a string: an account whose id is of another type cannot log in, nor can one with
    /// a list of names or with the same name as another.
    @Override
    public Optional<BsonDocument> find(String name) {
        var found = lookUp.of(() -> collection.find(named(name)).limit(2).into(new ArrayList<>()));
        return found.size() == 1 && isNamed(found.getFirst(), name) ? Optional.of(found.getFirst()) : Optional.empty();
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
        BsonValue at = account;
        for (var step : users.nameProperty().split("\\.", -1)) {
            at = at instanceof BsonDocument document ? document.getOrDefault(step, BsonNull.VALUE) : BsonNull.VALUE;
        }
        return at instanceof BsonString text && text.getValue().equals(name);
    }
}
