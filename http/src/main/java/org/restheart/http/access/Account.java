package org.restheart.http.access;

import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.http.attribute.Key;

/// An authenticated account. Immutable; `properties` and `claims` must not be changed.
///
/// @param roles in the account's order, in which permissions are tried
/// @param properties the values of `@user.…` in access rules; never contains the password
/// @param all all roles of the account, in its order: more than `roles` for credentials that are limited to some
/// @param claims those of the token that was sent; empty for other credentials
/// @param hasOtherName than its `_id`, which then is an id of its type; a name, or a claim of another issuer, is a text
///     for ids of all types
public record Account(
        String name,
        List<String> roles,
        BsonDocument properties,
        List<String> all,
        BsonDocument claims,
        boolean hasOtherName) {
    /// The observer of a request's account, called whatever the outcome of the request.
    public static final Key<Consumer<Account>> OBSERVER = Key.named("account observer");

    public Account {
        roles = List.copyOf(roles);
        all = List.copyOf(all);
    }

    public Account(String name, List<String> roles, BsonDocument properties) {
        this(name, roles, properties, !new BsonString(name).equals(properties.get("_id")));
    }

    public Account(String name, List<String> roles, BsonDocument properties, boolean hasOtherName) {
        this(name, roles, properties, roles, new BsonDocument(), hasOtherName);
    }

    /// One of which nothing is known but the claims of its token.
    public static Account ofClaims(String name, List<String> roles, BsonDocument claims) {
        return new Account(name, roles, claims, roles, claims, false);
    }

    public boolean hasRole(String role) {
        return roles.contains(role);
    }

    public Account limitedTo(Collection<String> only) {
        return new Account(name, roles.stream().filter(only::contains).toList(), properties, all, claims, hasOtherName);
    }

    public Account with(BsonDocument changed) {
        return new Account(name, roles, changed, all, claims, hasOtherName);
    }

    /// Whether the credentials are limited to some of its roles.
    public boolean isLimited() {
        return !all.equals(roles);
    }
}
