package org.restheart.security.realm;

import java.util.List;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.security.ProtectedCollection;

/// The collection of accounts and the meaning of its properties.
///
/// @param nameProperty compared with the name in the credentials; may be a dotted path
/// @param passwordProperty a property of the document itself
/// @param hashed whether passwords are stored as bcrypt hashes, and hashed when they are written
public record UsersCollection(
        String database,
        String collection,
        String nameProperty,
        String passwordProperty,
        RolesPath roles,
        boolean hashed)
        implements ProtectedCollection {

    /// @throws IllegalArgumentException naming the invalid property
    public UsersCollection {
        if (nameProperty.isEmpty() || nameProperty.startsWith("$")) {
            throw new IllegalArgumentException("prop-id must be the name of a property");
        }
        if (passwordProperty.isEmpty() || passwordProperty.contains(".") || passwordProperty.startsWith("$")) {
            throw new IllegalArgumentException("prop-password must be the name of a property, without dots");
        }
    }

    /// A copy of an account by whose name a client can log in.
    ///
    /// @param name of an account that has none
    public BsonDocument named(BsonDocument account, String name) {
        var named = account.clone();
        if (nameOf(account).isEmpty()) {
            var steps = List.of(nameProperty.split("\\.", -1));
            var at = named;
            for (var step : steps.subList(0, steps.size() - 1)) {
                var inner = at.get(step) instanceof BsonDocument document ? document : new BsonDocument();
                at.put(step, inner);
                at = inner;
            }
            at.put(steps.getLast(), new BsonString(name));
        }
        return named;
    }

    /// The name by which a client can log in with the account, if there is one.
    public Optional<String> nameOf(BsonDocument account) {
        BsonValue at = account;
        for (var step : nameProperty.split("\\.", -1)) {
            at = at instanceof BsonDocument document ? document.getOrDefault(step, BsonNull.VALUE) : BsonNull.VALUE;
        }
        return at instanceof BsonString name
                        && !name.getValue().isEmpty()
                        && !name.getValue().contains(":")
                ? Optional.of(name.getValue())
                : Optional.empty();
    }
}
