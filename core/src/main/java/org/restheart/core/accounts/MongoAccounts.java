package org.restheart.core.accounts;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.security.realm.Accounts;
import org.restheart.security.realm.UsersCollection;

/// Accounts in a collection. Thread-safe.
final class MongoAccounts implements Accounts {
    private final MongoCollection<BsonDocument> collection;
    private final UsersCollection users;

    MongoAccounts(MongoClient client, UsersCollection users) {
        this.collection = client.getDatabase(users.database()).getCollection(users.collection(), BsonDocument.class);
        this.users = users;
    }

    /// The name is always compared as text: an account whose id is of another type cannot log in.
    @Override
    public Optional<BsonDocument> find(String name) {
        return LookUp.of(() -> Optional.ofNullable(collection
                .find(new BsonDocument(users.nameProperty(), new BsonString(name)))
                .first()));
    }
}
