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

/// The accounts in MongoDB that may do everything: those with the root role and a password.
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

    /// Whether one of them matches the filter. Blocks for MongoDB.
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

    /// A filter for accounts that may have the role. If the path of the roles cannot be used in a filter, it
    /// matches all accounts with any roles.
    private Bson candidates() {
        return users.roles()
                .dotted()
                .map(path -> Filters.eq(path, new BsonString(rootRole)))
                .orElseGet(() -> Filters.ne(users.roles().root(), BsonNull.VALUE));
    }

    /// Whether one of them does not match all filters. Blocks for MongoDB.
    boolean existBeside(List<Bson> filters) {
        return exist(Filters.nor(Filters.and(new ArrayList<>(filters))));
    }
}
