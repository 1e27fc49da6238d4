package org.restheart.http.access;

import java.util.List;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.restheart.http.attribute.Key;

/// An authenticated account. Immutable; `properties` must not be changed.
///
/// @param name the principal's name
/// @param roles in the account's order, in which permissions are tried
/// @param properties the value of `@user` in access rules; never contains the password
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
