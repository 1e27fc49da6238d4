package org.restheart.security.realm;

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
}
