package org.restheart.http.access;

import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.restheart.http.attribute.Key;

/// An authenticated account. Immutable; `properties` and `claims` must not be changed.
///
/// @param roles in the account's order, in which permissions are tried
/// @param properties the values of `@user.…` in access rules; never contains the password
/// @param all all roles of the account, in its order: more than `roles` for credentials that are limited to some
/// @param claims those of the token that was sent; empty for other credentials
public record Account(String name, List<String> roles, BsonDocument properties, List<String> all, BsonDocument claims) {
    /// The observer of a request's account, called whatever the outcome of the request.
    public static final Key<Consumer<Account>> OBSERVER = Key.named("account observer");

    public Account {
        roles = List.copyOf(roles);
        all = List.copyOf(all);
    }

    public Account(String name, List<String> roles, BsonDocument properties) {
        this(name, roles, properties, roles, new BsonDocument());
    }

    public boolean hasRole(String role) {
        return roles.contains(role);
    }

    public Account limitedTo(Collection<String> only) {
        return new Account(name, roles.stream().filter(only::contains).toList(), properties, all, claims);
    }

    public Account with(BsonDocument changed) {
        return new Account(name, roles, changed, all, claims);
    }

    /// Whether the credentials are limited to some of its roles.
    public boolean isLimited() {
        return !all.equals(roles);
    }
}
