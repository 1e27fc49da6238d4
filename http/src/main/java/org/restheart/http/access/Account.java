package org.restheart.http.access;

import java.util.List;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.restheart.http.attribute.Key;

/// An authenticated account. Immutable by agreement, as are `properties`.
///
/// @param name the principal's name
/// @param roles in the account's own order, which decides between permissions
/// @param properties what access rules see as `@user`; never contains the password
public record Account(String name, List<String> roles, BsonDocument properties) {
    /// The observer of a request's account, called whatever the outcome of the request.
    public static final Key<Consumer<Account>> OBSERVER = Key.named("account observer");

    public Account {
        roles = List.copyOf(roles);
    }

    public boolean hasRole(String role) {
        return roles.contains(role);
    }
}
