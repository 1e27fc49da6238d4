package org.restheart.core.accounts;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.conversions.Bson;
import org.restheart.http.access.CallerScope;
import org.restheart.security.realm.UsersCollection;

/// The accounts that may manage everything: those in MongoDB with the root role and a password.
final class Managers {
    private final MongoCollection<BsonDocument> collection;
    private final UsersCollection users;
    private final String rootRole;

    Managers(MongoClient client, UsersCollection users, String rootRole) {
        this.collection = client.getDatabase(users.database()).getCollection(users.collection(), BsonDocument.class);
        this.users = users;
        this.rootRole = rootRole;
    }

    UsersCollection users() {
        return users;
    }

    String rootRole() {
        return rootRole;
    }

    boolean is(BsonDocument account) {
        var password = account.get(users.passwordProperty());
        return password instanceof BsonString text
                && !text.getValue().isEmpty()
                && (users.nameProperty().contains(".") || account.containsKey(users.nameProperty()))
                && users.roles()
                        .read(account)
                        .filter(roles -> roles.contains(rootRole))
                        .isPresent();
    }

    /// Whether there is one that matches. Waits for MongoDB.
    boolean exist(Bson filter) {
        return CallerScope.call(CallerScope.SERVER, () -> found(filter));
    }

    private boolean found(Bson filter) {
        try (var candidates = collection.find(Filters.and(candidates(), filter)).cursor()) {
            while (candidates.hasNext()) {
                if (is(candidates.next())) {
                    return true;
                }
            }
        }
        return false;
    }

    /// Where roles are a property, the few that have the role; else all that have anything there.
    private Bson candidates() {
        return users.roles()
                .dotted()
                .map(path -> Filters.eq(path, new BsonString(rootRole)))
                .orElseGet(() -> Filters.ne(users.roles().root(), BsonNull.VALUE));
    }

    /// Whether there is one that the filters do not all match. Waits for MongoDB.
    boolean existBeside(List<Bson> filters) {
        return exist(Filters.nor(Filters.and(new ArrayList<>(filters))));
    }
}
